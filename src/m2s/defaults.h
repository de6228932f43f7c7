/* Defaults of options that are neither 0 nor absent. --help and the manual get
 * the figures from here, too. */
#ifndef M2S_M2S_DEFAULTS_H
#define M2S_M2S_DEFAULTS_H

#define DEFAULT_INTERVALS_FILE "m2s-intervals.csv"
/* More than one work-group of a real program executes. The hardware executes one
 * instruction each clock cycle at most, so a kernel that never ends is found. */
#define DEFAULT_GROUP_INSTRUCTIONS 50000000000
#define DEFAULT_NET_RATE 0.01
#define DEFAULT_NET_MESSAGE_BYTES 32
#define DEFAULT_NET_CYCLES 100000
#define DEFAULT_NET_HOTSPOT_FRACTION 0.2
#define DEFAULT_NET_BURST_LENGTH 8

/* The text of a figure above. */
#define DEFAULT_TEXT(figure) DEFAULT_TEXT_(figure)
#define DEFAULT_TEXT_(figure) #figure

#endif
