/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the text that oracles compare the command's output with: what does not fit is left out, and nothing else changes.
 */
#include "wanted_text.h"

#include <string.h>

#include "oracle_test.h"

enum { MOST = sizeof((oracle_wanted *)0)->at - 1 };

static struct {
    oracle_wanted text;
    char behind[16];
} s;

/* Adds a text of `size` letters to one of MOST - 2. */
static bool holds(const char *added, size_t expected)
{
    memset(&s, 0, sizeof s);
    memset(s.behind, '#', sizeof s.behind);
    oracle_want(&s.text, "%*s", MOST - 2, "a");
    oracle_want(&s.text, "%s", added);
    bool same = s.text.size == expected;
    oracle_want(&s.text, "%s", "b");
    same = same && s.text.size == (expected < MOST ? expected + 1 : MOST);
    for (size_t i = 0; i < sizeof s.behind; i++)
        same = same && s.behind[i] == '#';
    return same;
}

void test_wanted(void)
{
    say(holds("", MOST - 2), "a text of no letters is added");
    say(holds("1", MOST - 1), "a text that leaves room for one letter");
    say(holds("12", MOST), "a text that fills the room");
    say(holds("123", MOST), "one letter more than fits");
    say(holds("1234567890", MOST), "ten letters, of which two fit");
}
