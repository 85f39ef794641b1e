// What each of Wick's helper processes does first: a name of its own, no signals of the terminal,
// no descriptor but its socket.
#pragma once

namespace wick {

void set_up_child(const char* name, int socket);

}  // namespace wick
