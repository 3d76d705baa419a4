#!/bin/sh
# An afternoon with a new service: lists, two routers, a list that is held, a mistake that is taken back, a node, a customer.
# Nothing is called by an id.
#
#   CLOUD, WIDE       URLs of two lists; the second has a prefix that a guardrail holds
#   EDGE1, EDGE2      addresses of two routers, PORT1 and PORT2 their ports (179), ASN theirs (64496)
#   PC                the command, where it is not prefixcast
set -eu
pc() { ${PC:-prefixcast} "$@"; }
step() { printf '\n== %s\n' "$*"; }

step 'Who am I?'
pc whoami

step 'A list of our own'
pc community create 64500:666 --title Drop
pc module create scanners --type IP_RANGES --community Drop
pc entry add scanners 9.9.9.0/24 2620:fe::/48 --note 'seen in March'

step 'A list of a cloud'
pc community create 64500:80 --title Cloud
pc source try "$CLOUD" -o json >/dev/null
pc module create clouds --type CDN_SOURCES --community Cloud
pc entry add clouds cloud --url "$CLOUD"

step 'Two routers: one takes everything, one only what is to be dropped'
pc peer create edge1 --address "$EDGE1" --port "${PORT1:-179}" --asn "${ASN:-64496}" --next-hop-ipv6 2001:db8::1 --speaker builtin
pc peer create edge2 --address "$EDGE2" --port "${PORT2:-179}" --asn "${ASN:-64496}" --next-hop-ipv6 2001:db8::1 --speaker builtin --community Drop

step 'Announce it'
pc module refresh clouds --wait --timeout 120
pc revision build --wait --timeout 120
pc revision list
pc apply status
pc session list
pc why 9.9.9.9

step 'A list that is too wide is held; what routers have stays'
pc module create wide --type CDN_SOURCES --community Cloud
pc entry add wide everything --url "$WIDE"
held=0
pc module refresh wide --wait --timeout 120 || held=$?
test "$held" = 5
pc module held wide
pc module release wide --override prefix_too_short --reason 'the operator of these networks asked for it' --wait --timeout 120
good=$(pc revision list --limit 1 -o name)

step 'A mistake, and back'
pc entry add scanners 1.1.1.0/24 --wait --timeout 120
pc revision diff "$good" latest
pc revision rollback "$good" --wait --timeout 120
pc entry remove scanners 1.1.1.0/24
pc why 1.1.1.1 || test $? = 1

step 'Nothing changes over the weekend'
pc freeze
pc unfreeze

step 'A speaker on another machine'
pc speaker create frankfurt --daemon bird --mode agent --asn 64512
pc node enroll frankfurt --valid 600 >/dev/null

step 'A customer with lists of its own'
key=$(pc tenant create customer-a --name 'Customer A' --policy '{"allowed_prefixes":["8.8.8.0/24"]}' | tail -n 1)
customer() { PREFIXCAST_KEY=$key pc "$@"; }
customer module create own --type IP_RANGES
customer entry add own 8.8.8.0/24
customer module list

step 'What happened?'
pc audit list --limit 10
