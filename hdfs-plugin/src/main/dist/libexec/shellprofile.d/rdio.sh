# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# RDIO in Hadoop's own commands. Put it, or a link to it, into Hadoop's libexec/shellprofile.d, or into
# shellprofile.d of the configuration's folder. It
#
#   - puts RDIO's jar on the class path of every command and daemon, unless it is there already;
#   - adds 'hadoop rdio ...';
#   - makes 'hdfs dfs' and 'hadoop rdio' start fast (RDIO_FAST_START=off switches that off).
#
# A fresh JVM spends its time on loading and compiling classes. So these two get a class-data archive
# of the class path, made in the background at the first use or by 'hadoop rdio archive', and only the
# quick compiler. An archive is kept for each class path and configuration in RDIO_START_DIR
# (~/.cache/rdio). The JVM does not share archives where there are folders on the class path: the
# configuration is packed into a jar in its place, other folders go to the end.

hadoop_add_profile rdio

_rdio_profile=${BASH_SOURCE[0]}

## @description  Finds RDIO's jar: RDIO_JAR, or beside the folder that this file is in
_rdio_jar() {
  local here jar
  here=$(cd "$(dirname "$(readlink -f "${_rdio_profile}")")" && pwd)
  for jar in "${RDIO_JAR:-}" "${here}"/../../rdio-hdfs-*.jar "${here}"/../../lib/rdio-hdfs-*.jar; do
    if [[ -f "${jar}" && "${jar}" != *-unshaded.jar ]]; then
      readlink -f "${jar}"
      return 0
    fi
  done
  return 1
}

_rdio_hadoop_classpath() {
  local jar installed
  for installed in "${HADOOP_HDFS_HOME:-/none}"/share/hadoop/{hdfs,hdfs/lib,common/lib}/rdio-hdfs-*.jar; do
    [[ ! -f "${installed}" ]] || return 0
  done
  if jar=$(_rdio_jar); then
    hadoop_add_classpath "${jar}"
  fi
}

if declare -F hadoop_add_subcommand >/dev/null; then
  if [[ "${HADOOP_SHELL_EXECNAME:-}" = hadoop ]]; then
    hadoop_add_subcommand "rdio" client "RDIO: doctor, map, leases, stat and more"
  fi
fi

# What 'hadoop rdio' runs.
hadoop_subcommand_rdio() {
  # shellcheck disable=SC2034
  HADOOP_CLASSNAME=io.rdio.hdfs.cli.Rdio
}

# Hadoop has the whole class path only when it starts Java: so this puts itself before that.
_rdio_hadoop_finalize() {
  if [[ "${RDIO_FAST_START:-on}" != off ]] && declare -F hadoop_java_exec >/dev/null &&
    ! declare -F _rdio_java_exec >/dev/null; then
    eval "_rdio_java_exec() $(declare -f hadoop_java_exec | tail -n +2)"
    # shellcheck disable=SC2317 # Hadoop calls it
    hadoop_java_exec() {
      _rdio_fast_start "$2" "${3:-}"
      _rdio_java_exec "$@"
    }
  fi
}

# Changes CLASSPATH and HADOOP_OPTS for classes that start, work a little and end.
_rdio_fast_start() { # CLASS FIRST_ARGUMENT
  case "$1" in
    org.apache.hadoop.fs.FsShell | io.rdio.hdfs.cli.Rdio) ;;
    *) return 0 ;;
  esac
  if [[ "${HADOOP_OPTS:-}" == *-Xshare* || "${HADOOP_OPTS:-}" == *SharedArchive* ]]; then
    return 0
  fi
  local home=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "${JAVA}")")")} version
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "${home}/release" 2>/dev/null)
  [[ "${version:-0}" -ge 17 ]] || return 0
  [[ "${HADOOP_OPTS:-}" == *Tiered* ]] || HADOOP_OPTS+=" -XX:TieredStopAtLevel=1"

  local folder=${RDIO_START_DIR:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/rdio} key jars tail
  # Whoever can write an archive says what this JVM runs: so only this user, or root.
  (umask 077 && mkdir -p "${folder}") 2>/dev/null
  [[ -n "$(find "${folder}/" -maxdepth 0 \( -user "$(id -u)" -o -user 0 \) ! -perm /022 2>/dev/null)" ]] || return 0
  [[ "${folder}" != *[[:space:]]* ]] || return 0
  key=$(_rdio_fingerprint "${home}") || return 0
  _rdio_split_classpath "${folder}/${key}.conf.jar"
  if [[ "$1 $2" = "io.rdio.hdfs.cli.Rdio archive" ]]; then
    _rdio_archive_command "${folder}" "${key}" "${jars}"
  fi
  if [[ -r "${folder}/${key}.jsa" && -r "${folder}/${key}.conf.jar" ]]; then
    CLASSPATH=${jars}${tail}
    HADOOP_OPTS+=" -XX:SharedArchiveFile=${folder}/${key}.jsa -Xshare:auto"
    # Where it does not fit the JVM goes on without it, and need not tell.
    HADOOP_OPTS+=" -Xlog:cds=off -Xlog:cds+dynamic=off -Xlog:class+path=off"
  elif [[ -w "${folder}" ]]; then
    (_rdio_make_archive "${folder}" "${key}" "${jars}" &) >/dev/null 2>&1 </dev/null
  fi
}

# Makes the archive, or waits for who is at it already; tells where it is.
_rdio_archive_command() { # FOLDER KEY JARS
  local seconds
  for ((seconds = 0; seconds < 60; seconds++)); do
    if _rdio_make_archive "$@"; then
      echo "$1/$2.jsa"
      exit 0
    fi
    [[ -d "$1/$2.lock" ]] || break
    sleep 1
  done
  hadoop_error "rdio: no class-data archive could be made in $1"
  exit 1
}

# Names this Java, class path and configuration: what is on them, how large and how old.
_rdio_fingerprint() { # JAVA_HOME
  local entry entries
  IFS=: read -ra entries <<<"${CLASSPATH}"
  {
    echo "${JAVA} ${CLASSPATH}"
    stat -L -c '%n %s %Y' -- "$1/release"
    for entry in "${entries[@]}"; do
      case "${entry}" in
        */\*) stat -L -c '%n %s %Y' -- "${entry%\*}"*.jar ;;
        *.jar) stat -L -c '%n %s %Y' -- "${entry}" ;;
        *)
          if [[ "${entry}" = "${HADOOP_CONF_DIR}" ]]; then
            find -L "${entry}" -printf '%p %s %m %u %T@ %C@\n'
          fi
          ;;
      esac
    done
  } 2>/dev/null | cksum | tr ' ' '-'
}

# Sets jars to the class path with the configuration as a jar, and tail to its folders, which come last.
_rdio_split_classpath() { # CONFIGURATION_JAR
  local entry entries
  IFS=: read -ra entries <<<"${CLASSPATH}"
  jars='' tail=''
  for entry in "${entries[@]}"; do
    if [[ "${entry}" = "${HADOOP_CONF_DIR}" ]]; then
      jars+=${jars:+:}$1
      tail+=:${entry} # what the jar has not, or what cannot be read, is as it would be without us
    elif [[ -d "${entry}" ]]; then
      tail+=:${entry}
    elif [[ -n "${entry}" ]]; then
      jars+=${jars:+:}${entry}
    fi
  done
}

# Packs the configuration and makes the archive, under names of their own first: another command may do
# the same. Those of former class paths go after a week.
_rdio_make_archive() { # FOLDER KEY JARS
  local work="$1/$2.$$" status=0
  if ! mkdir "$1/$2.lock" 2>/dev/null; then
    # Somebody is at it, or died of it.
    [[ -n "$(find "$1/$2.lock" -maxdepth 0 -mmin +10 2>/dev/null)" ]] || return 1
  fi
  (
    umask 077
    set -e
    CLASSPATH=$3 nice "${JAVA}" -Xshare:auto -XX:TieredStopAtLevel=1 \
      io.rdio.hdfs.start.ConfigurationJar "${HADOOP_CONF_DIR}" "${work}.conf.jar"
    mv -f "${work}.conf.jar" "$1/$2.conf.jar"
    CLASSPATH=$3 nice "${JAVA}" -XX:ArchiveClassesAtExit="${work}.jsa" -Xlog:disable \
      io.rdio.hdfs.start.StartClasses
    mv -f "${work}.jsa" "$1/$2.jsa"
  ) >/dev/null 2>&1 </dev/null || status=1
  rm -f "${work}".*
  find "$1" -maxdepth 1 -type f \( -name '*.jsa' -o -name '*.conf.jar' \) ! -name "$2.*" -mtime +7 \
    -delete 2>/dev/null
  rmdir "$1/$2.lock" 2>/dev/null
  return "${status}"
}
