#!/bin/bash
# Runs a command with a Slurm cluster of one node, which only it sees.
# usage, in a network and process namespace of its own: slurm-node.sh FOLDER
# COMMAND...; exit status 77: no such cluster can be had here
set -u
folder=$1
shift
host=$(hostname -s)

# Slurm looks up no name on a machine that has only a loopback address.
{
	ip link set lo up && ip link add m2s0 type veth peer name m2s1 &&
		ip addr add 10.31.0.1/24 dev m2s0 && ip link set m2s0 up
} || exit 77

mkdir -p "$folder"/{state,spool,munge} && chmod 711 "$folder" &&
	chmod 700 "$folder/munge" || exit 77
head -c 1024 /dev/urandom >"$folder/munge/key" && chmod 400 "$folder/munge/key"
munged --force --key-file="$folder/munge/key" \
	--socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
	--log-file="$folder/munge/log" --seed-file="$folder/munge/seed" ||
	exit 77

cat >"$folder/slurm.conf" <<EOF
ClusterName=m2s
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
MaxArraySize=41
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES State=UP
EOF
export SLURM_CONF=$folder/slurm.conf
slurmctld && slurmd || exit 77
for ((i = 0; i < 100; i++)); do
	timeout 5 sinfo --noheader --format=%t 2>"$folder/sinfo" |
		grep -q idle && break
	sleep 0.1
done
[ $i -lt 100 ] || exit 77
"$@"
