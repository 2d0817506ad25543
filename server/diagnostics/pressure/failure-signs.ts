import type { PressureType } from './catalogue-entry.ts'

/**
 * What a failure says when a resource had no room left. The message may name the resource (`pool`), its limit (`size`) and
 * how many wait (`waiting`).
 */
export interface FailureSign {
  type: PressureType
  /** What it is called where neither the message nor the span names it. */
  resource: string
  /** The end of the exception's type, in any language's spelling. */
  exception?: RegExp
  message?: RegExp
}

const pool = (sign: Omit<FailureSign, 'type' | 'resource'>): FailureSign => ({
  type: 'connection_pool',
  resource: 'connection pool',
  ...sign,
})
const threads = (sign: Omit<FailureSign, 'type' | 'resource'>): FailureSign => ({
  type: 'thread_pool',
  resource: 'thread pool',
  ...sign,
})
const limit = (sign: Omit<FailureSign, 'type' | 'resource'>): FailureSign => ({
  type: 'rate_limit',
  resource: 'rate limit',
  ...sign,
})

/** The first that fits counts, so those that tell more come first. What is given of type and message must fit. */
const FAILURE_SIGNS: readonly FailureSign[] = [
  // Java: HikariCP, Tomcat JDBC, Druid, DBCP, c3p0, UCP, Agroal, R2DBC and Reactor, HTTP clients, Jedis, MongoDB.
  pool({
    message:
      /^(?<pool>\S.{0,100}?) - Connection is not available, request timed out after \d+ms(?:\.? \(total=(?<size>\d+), active=\d+, idle=\d+, waiting=(?<waiting>\d+)\))?/,
  }),
  pool({ message: /Pool empty\. Unable to fetch a connection in \d+ seconds, none available\[size:(?<size>\d+)/ }),
  pool({ message: /wait millis \d+, active \d+, maxActive (?<size>\d+)/ }),
  pool({
    message: /pool error Timeout waiting for idle object|Timeout waiting for (?:idle object|connection from pool)/i,
  }),
  pool({ message: /attempt by a client to checkout a Connection has timed out/ }),
  pool({ message: /UCP-29|All connections in the Universal Connection Pool are in use/ }),
  pool({ message: /^Sorry, acquisition timeout/ }),
  pool({ message: /Pending acquire queue has reached its maximum size of (?<waiting>\d+)/ }),
  pool({ message: /Pool#acquire\(Duration\) has been pending for more than/ }),
  pool({ message: /Could not get a resource (?:from|since) the pool/ }),
  pool({ message: /Too many threads are already waiting for a connection/i }),
  pool({ message: /Timed out after \d+ ms while waiting for a connection/i }),
  pool({ exception: /SQLTransientConnectionException$/ }),
  pool({
    exception: /(?:PoolExhausted|ConnectionPoolTimeout|ConnectionRequestTimeout|GetConnectionTimeout)Exception$/,
  }),
  pool({ exception: /PoolAcquire(?:Timeout|PendingLimit)Exception$/ }),
  pool({ exception: /MongoWaitQueueFullException$/ }),
  // Python: SQLAlchemy, psycopg, urllib3, httpx, redis-py.
  pool({ message: /QueuePool limit of size (?<size>\d+) overflow -?\d+ reached/ }),
  pool({
    exception: /(?:psycopg_pool\.)?(?:PoolTimeout|TooManyRequests)$/,
    message: /couldn't get a connection|requests? (?:already )?waiting/,
  }),
  pool({ exception: /httpx\.PoolTimeout$|httpcore\.PoolTimeout$|EmptyPoolError$|MaxConnectionsError$/ }),
  pool({ message: /Pool reached maximum size and no more connections are allowed/ }),
  // Node.js: pg-pool, knex, Sequelize, generic-pool, mysql2, Prisma, MongoDB.
  pool({ message: /^(?:Error: )?timeout exceeded when trying to connect$/ }),
  pool({ message: /Knex: Timeout acquiring a connection/ }),
  pool({ exception: /ConnectionAcquireTimeoutError$/ }),
  pool({ message: /^(?:TimeoutError: )?ResourceRequest timed out$/ }),
  pool({ message: /^(?:Error: )?(?:Queue limit reached|No connections available)\.$/ }),
  pool({ message: /Timed out fetching a new connection from the connection pool.*?connection limit: (?<size>\d+)/s }),
  pool({ exception: /WaitQueueTimeoutError$/ }),
  pool({ message: /timed out while checking out a connection from (?:the )?connection pool/i }),
  // .NET: SqlClient, Npgsql, MySqlConnector, MongoDB.
  pool({ message: /timeout period elapsed prior to obtaining a connection from the pool/i }),
  pool({ message: /connection pool(?: (?<pool>\S{1,100}))? has been exhausted.*?currently (?<size>\d+)/s }),
  pool({ message: /connection pool has been exhausted/i }),
  pool({ message: /All pooled connections are in use/i }),
  pool({ message: /wait queue for acquiring a connection .* is full/i }),
  // Go, Rust, Ruby, Elixir.
  pool({ message: /^acquire from (?<pool>\S{1,100}): .*\(\d+ of (?<size>\d+) in use\)/ }),
  pool({ exception: /pgxpool\.AcquireError$/ }),
  pool({ message: /redis: connection pool timeout|connection pool exhausted/ }),
  pool({ message: /pool timed out while waiting for an open connection|timed out waiting for connection$/i }),
  pool({ message: /could not obtain a (?:database )?connection (?:from the pool )?within \d/ }),
  pool({ message: /Waited \d+(?:\.\d+)? sec, 0\/(?<size>\d+) available/ }),
  pool({ message: /connection not available and request was dropped from queue/ }),
  // The other side has no room for one more connection.
  pool({ message: /remaining connection slots are reserved|too many clients already|too many connections/i }),
  pool({ message: /max(?:imum)? number of clients reached|no more connections allowed \(max_client_conn\)/i }),
  pool({ message: /max_user_connections|max_connections_per_hour|ORA-(?:00018|00020|12516|12519|12520)/ }),
  pool({ exception: /TooManyConnections(?:Error|Exception)$/ }),

  // Threads and what stands for them.
  threads({
    exception: /RejectedExecutionException$/,
    message: /pool size = (?<size>\d+), active threads = \d+, queued tasks = (?<waiting>\d+)/,
  }),
  threads({ message: /Bulkhead '(?<pool>[^']{1,100})' is full/ }),
  threads({ message: /(?<pool>\S{1,100}) could not be queued for execution and/ }),
  threads({ message: /not enough free threads in the ThreadPool/ }),
  threads({ message: /unable to create (?:new )?native thread|can't start new thread/i }),
  threads({
    exception: /(?:RejectedExecution|TaskRejected|BulkheadFull|BulkheadRejected|RejectedExecutionError)(?:Exception)?$/,
  }),
  threads({ exception: /(?:\bqueue\.Full|asyncio\.QueueFull|asyncio\.queues\.QueueFull)$/ }),
  threads({ exception: /(?:Overload(?:ed)?(?:Error|Exception)|ServerOverloaded\w*)$/ }),

  { type: 'file_descriptors', resource: 'file descriptors', message: /too many open files|\bEMFILE\b/i },
  { type: 'disk', resource: 'disk', message: /no space left on device|\bENOSPC\b/i },

  limit({ message: /RateLimiter '(?<pool>[^']{1,100})' does not permit/ }),
  limit({
    exception: /(?:RequestNotPermitted|RateLimitExceeded\w*|RateLimiterRejected\w*|RateLimitError|TooManyRequests\w*)$/,
  }),
  limit({
    exception: /(?:Throttling\w*|Throttled\w*|ProvisionedThroughputExceeded\w*|RequestLimitExceeded|SlowDown)$/,
  }),
]

export interface FoundSign {
  type: PressureType
  /** What the message calls it; empty where it does not. */
  named: string
  resource: string
  /** 0 where the message does not tell. */
  size: number
  waiting: number
}

/** Nearly every failure has none of these words, and then none of the signs. */
const ANY_SIGN =
  /pool|connect|client|slots|thread|queue|acqui|exhaust|ORA-|UCP-|idle object|bulkhead|reject|overload|files|EMFILE|space|ENOSPC|limit|permit|throttl|throughput|TooMany|SlowDown|maxActive|available|resource/i

const MESSAGE_CHARS_MAX = 500

/** What a failure tells of a resource without room, or nothing. Long messages are read at their beginning only. */
export function signOf(exceptionType: string, message: string): FoundSign | undefined {
  const beginning = message.slice(0, MESSAGE_CHARS_MAX)
  if (!ANY_SIGN.test(exceptionType) && !ANY_SIGN.test(beginning)) return undefined
  for (const { type, resource, exception, message: wording } of FAILURE_SIGNS) {
    if (exception !== undefined && !exception.test(exceptionType)) continue
    const said = wording?.exec(beginning)
    if (wording !== undefined && !said) continue
    const { pool: named = '', size = '0', waiting = '0' } = said?.groups ?? {}
    return { type, resource, named, size: Number(size), waiting: Number(waiting) }
  }
  return undefined
}
