#!/bin/sh
# The HTTP interface of a real daemon, asked with curl as people ask it: every call, and every kind
# of bad input with its clear error.
#
#   sh tests/http/run.sh BIN-DIRECTORY
set -eu
cd "$(dirname "$0")/../.."
BIN=$1
. tests/http/lib.sh
. tests/http/calls.sh
. tests/http/bad.sh
. tests/http/fio.sh
. tests/http/schedules.sh
. tests/http/doors.sh
. tests/http/statuses.sh
. tests/http/keep.sh

start
ask GET /api/v1/openapi.json
expect 200 "the document" '"openapi": "3.1.0"'
cp "$home/body" "$home/openapi.json"

calls_machine
calls_sweep
calls_workloads
calls_text_and_wait
calls_cancel_and_delete
calls_history
calls_over_time
calls_import
calls_compare
calls_fio
calls_schedules
calls_export
doors_methods
doors_hosts
doors_others
calls_backup
bad_fields
bad_targets
bad_bodies
bad_requests
bad_schedules
statuses_of_front
statuses_of_nothing
statuses_of_known
statuses_agree
bad_starts
bad_database

if [ "$failures" != 0 ]; then
  die "$failures checks"
fi
echo "every call answers as described"
