/* The reference scenario for SPIN, in its embedded C: the states and steps of Reference.tla.
 *
 * numbers.pml, which is written for each size, defines PODS, NODES, ASKED and MOST, the tables, and the lists EACH_POD, EACH_NODE
 * and EACH_MOVE. With LIVENESS the environment may come to rest, after which only the scheduler moves: SPIN knows no fairness of a part
 * of a process, and this flag doubles the states. Everything else of C is computed from the places and kept in no state.
 */
#include "numbers.pml"

#define ABSENT 0
#define WAITING 1
#define FIRST 2 /* The place on the first node. */

byte place[PODS];
bool cordoned[NODES];
#ifdef LIVENESS
bool rests;
#define GOES_ON !rests &&
#else
#define GOES_ON
#endif

c_decl {
\#include <string.h>
static const int priority[] = PRIORITIES, cpu[] = REQUESTS, room[] = ROOMS, admits[] = ADMITTED;
static struct { int pod, node; unsigned victims; } move[MOST]; /* A move without a pod evicts the victims. */
static int moves = -1;
static unsigned char before[PODS + NODES];
/* SPIN takes every call in a c_expr for a side effect. */
\#define MOVES decide()
\#define OVERCOMMITTED overcommitted()
\#define STARVED starved()
}

c_code {
static int free_on(int node) {
    int pod, sum = room[node];
    for (pod = 0; pod < PODS; pod++)
        if (now.place[pod] == 2 + node) sum -= cpu[pod];
    return sum;
}

static int overcommitted(void) {
    int node;
    for (node = 0; node < NODES; node++)
        if (free_on(node) < 0) return 1;
    return 0;
}

static int open_to(int pod, int node) { return admits[pod] >> node & 1 && !now.cordoned[node]; }

static int starved(void) {
    int node;
    if (now.place[ASKED] != 1) return 0;
    for (node = 0; node < NODES; node++)
        if (open_to(ASKED, node) && cpu[ASKED] <= free_on(node)) return 1;
    return 0;
}

static void note(int pod, int node, unsigned victims) {
    int i;
    for (i = 0; i < moves; i++)
        if (move[i].pod == pod && move[i].node == node && move[i].victims == victims) return;
    if (moves == MOST) { printf("too many moves\n"); exit(2); }
    move[moves].pod = pod; move[moves].node = node; move[moves].victims = victims;
    moves++;
}

static void bindings(int pod, const int *space) {
    int node, best = -1;
    for (node = 0; node < NODES; node++)
        if (open_to(pod, node) && cpu[pod] <= space[node]) {
            int score = 100 * (space[node] - cpu[pod]) / room[node];
            if (score > best) best = score;
        }
    for (node = 0; node < NODES; node++)
        if (open_to(pod, node) && cpu[pod] <= space[node] && 100 * (space[node] - cpu[pod]) / room[node] == best)
            note(pod, node, 0);
}

/* Look at each set of the pods of lower priority on each node, and note those of least casualty. */
static void evictions(int pod, const int *space, int first) {
    int node, other, least = 1 << 30;
    for (node = 0; node < NODES; node++) {
        unsigned lower = 0, some;
        if (!open_to(pod, node)) continue;
        for (other = 0; other < PODS; other++)
            if (now.place[other] == 2 + node && priority[other] < priority[pod]) lower |= 1u << other;
        for (some = lower; some; some = (some - 1) & lower) {
            int gained = 0, greatest = 0, sum = 0, number = 0, casualty;
            for (other = 0; other < PODS; other++)
                if (some >> other & 1) {
                    gained += cpu[other]; sum += priority[other]; number++;
                    if (priority[other] > greatest) greatest = priority[other];
                }
            if (space[node] + gained < cpu[pod]) continue;
            casualty = greatest * 100000 + sum * 100 + number;
            if (casualty > least) continue;
            if (casualty < least) { moves = first; least = casualty; }
            note(-1, -1, some);
        }
    }
}

/* Find the moves of the scheduler in this state, unless it was the last that was asked about; return their number. */
static int decide(void) {
    unsigned char here[PODS + NODES];
    int pod, node, highest = -1, space[NODES];
    for (pod = 0; pod < PODS; pod++) here[pod] = now.place[pod];
    for (node = 0; node < NODES; node++) here[PODS + node] = now.cordoned[node];
    if (moves >= 0 && memcmp(here, before, sizeof here) == 0) return moves;
    memcpy(before, here, sizeof here);
    moves = 0;
    for (pod = 0; pod < PODS; pod++)
        if (now.place[pod] == 1 && priority[pod] > highest) highest = priority[pod];
    for (node = 0; node < NODES; node++) space[node] = free_on(node);
    for (pod = 0; pod < PODS; pod++)
        if (now.place[pod] == 1 && priority[pod] == highest) {
            int first = moves;
            bindings(pod, space);
            if (moves == first) evictions(pod, space, first);
        }
    return moves;
}

static void act(int i) {
    int pod;
    if (move[i].pod >= 0) now.place[move[i].pod] = 2 + move[i].node;
    else for (pod = 0; pod < PODS; pod++)
        if (move[i].victims >> pod & 1) now.place[pod] = 0;
}
}

#define OF_POD(p) \
    :: d_step { GOES_ON place[p] == ABSENT -> place[p] = WAITING } \
    :: d_step { GOES_ON place[p] >= FIRST -> place[p] = ABSENT }
#define OF_NODE(n) :: d_step { GOES_ON true -> cordoned[n] = !cordoned[n] }
#define OF_MOVE(k) :: d_step { c_expr { MOVES > k } -> c_code { decide(); act(k); } }

active proctype cluster() {
    do
    EACH_POD
    EACH_NODE
    EACH_MOVE
#ifdef LIVENESS
    :: d_step { !rests -> rests = true }
#else
    :: c_expr { OVERCOMMITTED } -> assert(false)
#endif
    od
}

#ifdef LIVENESS
/* The pod waits forever while some node is feasible for it all the time, and the environment rests. */
never {
    do
    :: true
    :: rests && c_expr { STARVED } -> goto waits
    od;
waits:
accept:
    do
    :: rests && c_expr { STARVED }
    od
}
#endif
