# SPDX-License-Identifier: Apache-2.0
# spark_job.py FOLDER [write]: prints a line "RESULT ..." for each of several queries of a table that is
# there as Parquet, ORC, CSV and JSON, and at last "RDIO ..." with the bytes that this JVM has read by
# RDIO. With "write", it writes the table first.
import sys

from pyspark.sql import SparkSession, functions as f

ROWS = 60_000
FORMATS = ("parquet", "orc", "csv", "json")


def table(spark):
    rows = spark.range(0, ROWS, 1, 2)
    return rows.select(
        "id",
        f.sha2(f.col("id").cast("string"), 256).alias("name"),
        (f.col("id") % 100).alias("team"),
        (f.col("id") * 0.37).alias("price"),
        f.when(f.col("id") % 7 != 0, f.concat(f.lit("comment "), f.col("id"))).alias("comment"),
    )


def read(spark, folder, kind):
    return spark.read.format(kind).schema(table(spark).schema).load(f"{folder}/{kind}")


def digest(rows):
    """The number of rows, and a sum of all that is in them, in whatever order."""
    row = f.concat_ws("|", *[f.coalesce(f.col(name).cast("string"), f.lit("null")) for name in rows.columns])
    return rows.select(f.count(f.lit(1)), f.sum(f.crc32(row))).first()


def tell(name, result):
    print("RESULT", name, *result)


def query(spark, folder):
    tables = {kind: read(spark, folder, kind) for kind in FORMATS}
    for kind, rows in tables.items():
        tell(kind, digest(rows))
    # Columns that do not lie side by side: several ranges of a file.
    tell("columns", digest(tables["parquet"].select("id", "team", "comment")))
    joined = tables["parquet"].alias("p").join(tables["csv"].alias("c"), "id").join(tables["orc"].alias("o"), "id")
    paid = f.sum("c.price").cast("decimal(20,2)").alias("paid")
    tell("join", digest(joined.where("p.team < 50").groupBy("o.team").agg(paid)))


def bytes_by_rdio(spark):
    counters = spark._jvm.org.apache.hadoop.fs.FileSystem.getGlobalStorageStatistics().get("RdioClient")
    return 0 if counters is None else counters.getLong("RdioBytes")


def main(folder, *verbs):
    spark = SparkSession.builder.getOrCreate()
    if "write" in verbs:
        for kind in FORMATS:
            table(spark).write.format(kind).save(f"{folder}/{kind}")
    query(spark, folder)
    print("RDIO", bytes_by_rdio(spark))
    spark.stop()


main(*sys.argv[1:])
