-- Sends the requests of a file in turn and prints what came of it as one line of JSON.
--
-- arguments: FILE THREADS. The file holds whole requests, separated by NUL; each thread takes its share of them.
-- Ready-made bytes keep wrk cheap: it shares the machine with the server that is measured.

local made = 0

function setup(thread)
    thread:set("share", made)
    made = made + 1
end

function init(arguments)
    local file = assert(io.open(arguments[1], "rb"))
    local text = file:read("*a")
    file:close()
    local threads = tonumber(arguments[2])
    requests, at = {}, 0
    local number = 0
    for one in text:gmatch("[^%z]+") do
        if number % threads == share then requests[#requests + 1] = one end
        number = number + 1
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '\n{"requests": %d, "microseconds": %d, "bytes": %d, "refused": %d, "lost": %d, "p50": %d, "p99": %d}\n',
        summary.requests, summary.duration, summary.bytes, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50), latency:percentile(99)))
end
