# SPDX-License-Identifier: Apache-2.0
# spark_outage_job.py FOLDER MANY END: writes a table of some files as Parquet and as CSV, prints "WRITTEN",
# and reads both again and again, each time with the whole of what a job does: listing, footers, several tasks.
# Each time it prints "PASS" with what it found, which has to be the same. Once the file END is there it
# prints "RDIO" with the bytes that this JVM has read by RDIO, and ends.
import os
import sys

from pyspark.sql import SparkSession, functions as f

FORMATS = ("parquet", "csv")
FILES = 4


def table(spark, rows):
    return spark.range(0, rows, 1, FILES).select(
        "id",
        f.sha2(f.col("id").cast("string"), 256).alias("name"),
        (f.col("id") * 0.37).alias("price"),
    )


def digest(spark, folder, kind):
    """The number of rows, and a sum of all that is in them, in whatever order."""
    rows = spark.read.format(kind).schema(table(spark, 1).schema).load(f"{folder}/{kind}")
    row = f.concat_ws("|", *[f.col(name).cast("string") for name in rows.columns])
    return rows.select(f.count(f.lit(1)), f.sum(f.crc32(row))).first()


def bytes_by_rdio(spark):
    counters = spark._jvm.org.apache.hadoop.fs.FileSystem.getGlobalStorageStatistics().get("RdioClient")
    return 0 if counters is None else counters.getLong("RdioBytes")


def main(folder, many, end):
    spark = SparkSession.builder.getOrCreate()
    for kind in FORMATS:
        table(spark, int(many)).write.format(kind).save(f"{folder}/{kind}")
    print("WRITTEN", flush=True)
    while not os.path.exists(end):
        print("PASS", *[value for kind in FORMATS for value in digest(spark, folder, kind)], flush=True)
    print("RDIO", bytes_by_rdio(spark), flush=True)
    spark.stop()


main(*sys.argv[1:])
