#!/usr/bin/env bash
# psql against a server of made-up people: backslash commands, notices, cursors, COPY.
set -euo pipefail
ask() { psql "$POINTILLIST_POSTGRES" -X -v ON_ERROR_STOP=1 "$@" 2>&1; }
wants() { # wants TEXT OUTPUT: the output has the text in it
    case "$2" in *"$1"*) ;; *) printf 'psql: no "%s" in:\n%s\n' "$1" "$2"; exit 1 ;; esac
}
wants visits "$(ask -c '\d')"
wants visits "$(ask -c '\dt')"
wants visits "$(ask -c '\dt+')"
wants cost "$(ask -c '\d visits')"
wants cost "$(ask -c '\d+ visits')"
wants Name "$(ask -c '\df')"
wants public "$(ask -c '\dn')"
wants hospital "$(ask -c '\l')"
wants ana "$(ask -c '\du')"
wants visits "$(ask -c '\dp')"
regions='SELECT region, count(*) AS n FROM visits GROUP BY region ORDER BY region'
answer=$(ask -c 'SET pointillist.epsilon = 0.05' -c "$regions")
wants NOTICE "$answer"
wants north "$answer"
rows() { ask -q -At -c 'SET client_min_messages = warning' -c 'SET pointillist.epsilon = 0.05' "$@" | grep -v '^SET$'; }
plain=$(rows -c "$regions")
[ "$plain" = "$(rows -v FETCH_COUNT=2 -c "$regions")" ] || { echo "psql: a cursor gives other rows"; exit 1; }
[ "${plain//|/$'\t'}" = "$(rows -c "COPY ($regions) TO STDOUT")" ] || { echo "psql: COPY gives other rows"; exit 1; }
wants n_low "$(ask -c 'SET pointillist.epsilon = 0.05' -c 'SET pointillist.intervals = on' -c "$regions")"
wants 'bigint' "$(echo "$regions \\gdesc" | ask)"
wants price "$(ask -c "EXPLAIN $regions" | tr 'P' 'p')"
# A model is trained over the wire, and asked for again it is the same.
learn="SELECT part, feature, value FROM learn('linear', 'SELECT age, systolic FROM patients', 'systolic')"
model=$(rows -c "$learn")
wants age "$model"
[ "$model" = "$(rows -c "$learn")" ] || { echo "psql: the same model has other numbers"; exit 1; }
wants price "$(ask -c "EXPLAIN $learn" | tr 'P' 'p')"
# What tools ask before they draw anything is free.
wants free "$(ask -c 'SELECT region FROM visits GROUP BY 1 ORDER BY 1 LIMIT 1001')"
[ "$(rows -c 'SELECT DISTINCT region FROM hospital.public.visits ORDER BY region')" = "$(printf 'east\nnorth\nsouth\nwest')" ] || { echo "psql: no regions"; exit 1; }
wants '(0 rows)' "$(ask -c 'SELECT * FROM visits LIMIT 0')"
wants btree "$(ask -c 'TABLE pg_am')"
refused=$(psql "$POINTILLIST_POSTGRES" -X -c 'SELECT * FROM visits' 2>&1 || true)
wants HINT "$refused"
wrong=$(psql "$(sed 's|:[^:/@]*@|:wrong@|' <<< "$POINTILLIST_POSTGRES")" -X -c 'SELECT 1' 2>&1 || true)
wants 'authentication failed' "$wrong"
psql --version
