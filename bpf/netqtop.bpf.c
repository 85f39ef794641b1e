/* SPDX-License-Identifier: GPL-2.0 */
/* wick netqtop: packets of a network device, by queue and size. A row is a queue of a direction:
 * packets, bytes, and packets of each size (bpf/abi/netqtop.h). */
#include "bpf/lib/prelude.bpf.h"
#include "bpf/lib/filter.bpf.h"
#include "bpf/lib/table.bpf.h"
#include "bpf/abi/netqtop.h"

const volatile u32 filter_device = 0; /* its number in the network namespace */
const volatile u32 filter_netns = 0;

static __always_inline u32 size_class(u64 bytes)
{
	return (bytes >= 64) + (bytes >= 512) + (bytes >= 2048) + (bytes >= 16384);
}

static __always_inline void count_packet(const struct sk_buff *packet, u64 direction, u64 queue)
{
	struct net_device *device = BPF_CORE_READ(packet, dev);
	u64 bytes = BPF_CORE_READ(packet, len);
	struct wick_table_amounts amounts = {};
	u32 size = size_class(bytes);

	if ((u32)BPF_CORE_READ(device, ifindex) != filter_device ||
	    BPF_CORE_READ(device, nd_net.net, ns.inum) != filter_netns)
		return;
	amounts.amount[WICK_NETQTOP_PACKETS] = 1;
	amounts.amount[WICK_NETQTOP_BYTES] = bytes;
	/* By a loop, so that each has a constant place on the stack. */
	for (u32 i = 0; i < WICK_NETQTOP_SIZES; i++)
		amounts.amount[WICK_NETQTOP_FIRST_SIZE + i] = i == size;
	table_add((struct wick_table_key){.first = direction, .second = queue}, NULL, amounts);
}

SEC("wick_tp/net_dev_start_xmit")
int BPF_PROG(on_transmit, const struct sk_buff *packet)
{
	count_packet(packet, WICK_NETQTOP_TRANSMIT, BPF_CORE_READ(packet, queue_mapping));
	return 0;
}

/* What is received has the number of its queue plus one, or 0 where the driver does not say. */
SEC("wick_tp/netif_receive_skb")
int BPF_PROG(on_receive, struct sk_buff *packet)
{
	u64 queue = BPF_CORE_READ(packet, queue_mapping);

	count_packet(packet, WICK_NETQTOP_RECEIVE, queue ? queue - 1 : 0);
	return 0;
}
