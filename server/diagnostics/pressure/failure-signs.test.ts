import { describe, expect, it } from 'vitest'
import { signOf } from './failure-signs.ts'

const POOLS: [exceptionType: string, message: string][] = [
  ['java.sql.SQLTransientConnectionException', 'anything'],
  [
    'org.apache.tomcat.jdbc.pool.PoolExhaustedException',
    '[http-1] Timeout: Pool empty. Unable to fetch a connection in 30 seconds, none available[size:100; busy:100; idle:0; lastwait:30000].',
  ],
  ['com.alibaba.druid.pool.GetConnectionTimeoutException', 'wait millis 60000, active 20, maxActive 20, creating 0'],
  ['java.sql.SQLException', 'Cannot get a connection, pool error Timeout waiting for idle object'],
  ['java.sql.SQLException', 'An attempt by a client to checkout a Connection has timed out.'],
  ['java.sql.SQLException', 'UCP-29: Failed to get a connection'],
  ['java.sql.SQLException', 'Sorry, acquisition timeout!'],
  [
    'reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException',
    'Pending acquire queue has reached its maximum size of 1000',
  ],
  [
    'reactor.netty.internal.shaded.reactor.pool.PoolAcquireTimeoutException',
    'Pool#acquire(Duration) has been pending for more than the configured timeout of 45000ms',
  ],
  ['org.apache.http.conn.ConnectionPoolTimeoutException', 'Timeout waiting for connection from pool'],
  [
    'redis.clients.jedis.exceptions.JedisExhaustedPoolException',
    'Could not get a resource since the pool is exhausted',
  ],
  ['com.mongodb.MongoTimeoutException', 'Timed out after 120000 ms while waiting for a connection to server db:27017.'],
  ['sqlalchemy.exc.TimeoutError', 'QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00'],
  ['psycopg_pool.PoolTimeout', "couldn't get a connection after 30.00 sec"],
  ['httpx.PoolTimeout', ''],
  ['urllib3.exceptions.EmptyPoolError', 'Pool is closed'],
  ['redis.exceptions.ConnectionError', 'Too many connections'],
  ['Error', 'timeout exceeded when trying to connect'],
  [
    'KnexTimeoutError',
    'Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?',
  ],
  ['SequelizeConnectionAcquireTimeoutError', 'Operation timeout'],
  ['TimeoutError', 'ResourceRequest timed out'],
  ['Error', 'Queue limit reached.'],
  [
    'PrismaClientKnownRequestError',
    'Timed out fetching a new connection from the connection pool. (Current connection pool timeout: 10, connection limit: 5)',
  ],
  ['MongoWaitQueueTimeoutError', 'Timed out while checking out a connection from connection pool'],
  [
    'System.InvalidOperationException',
    'Timeout expired.  The timeout period elapsed prior to obtaining a connection from the pool.  This may have occurred because all pooled connections were in use and max pool size was reached.',
  ],
  [
    'Npgsql.NpgsqlException',
    "The connection pool has been exhausted, either raise 'Max Pool Size' (currently 100) or 'Timeout' (currently 15 seconds)",
  ],
  ['MySqlConnector.MySqlException', 'Connect Timeout expired. All pooled connections are in use.'],
  ['*errors.errorString', 'redis: connection pool timeout'],
  ['*errors.errorString', 'redigo: connection pool exhausted'],
  ['sqlx::Error', 'pool timed out while waiting for an open connection'],
  [
    'ActiveRecord::ConnectionTimeoutError',
    'could not obtain a connection from the pool within 5.000 seconds (waited 5.001 seconds); all pooled connections were in use',
  ],
  ['ConnectionPool::TimeoutError', 'Waited 5 sec, 0/10 available'],
  ['DBConnection.ConnectionError', 'connection not available and request was dropped from queue after 2000ms.'],
  [
    'org.postgresql.util.PSQLException',
    'FATAL: remaining connection slots are reserved for non-replication superuser connections',
  ],
  ['*pq.Error', 'pq: sorry, too many clients already'],
  ['*mysql.MySQLError', 'Error 1040: Too many connections'],
  ['redis.exceptions.ResponseError', 'ERR max number of clients reached'],
  [
    'java.sql.SQLRecoverableException',
    'Listener refused the connection with the following error: ORA-12519, TNS:no appropriate service handler found',
  ],
  ['asyncpg.exceptions.TooManyConnectionsError', 'x'],
]

const THREADS: [exceptionType: string, message: string][] = [
  ['java.util.concurrent.RejectedExecutionException', ''],
  ['org.springframework.core.task.TaskRejectedException', 'ExecutorService in active state did not accept task'],
  ['io.github.resilience4j.bulkhead.BulkheadFullException', 'x'],
  [
    'System.InvalidOperationException',
    'There were not enough free threads in the ThreadPool to complete the operation.',
  ],
  ['java.lang.OutOfMemoryError', 'unable to create new native thread'],
  ['RuntimeError', "can't start new thread"],
  ['asyncio.QueueFull', ''],
  ['OverloadError', 'too much'],
]

describe('a failure', () => {
  it.each(POOLS)('of %s with %s tells of a pool without connections', (exceptionType, message) => {
    expect(signOf(exceptionType, message)?.type).toBe('connection_pool')
  })

  it.each(THREADS)('of %s with %s tells of threads that are all busy', (exceptionType, message) => {
    expect(signOf(exceptionType, message)?.type).toBe('thread_pool')
  })

  it.each([
    ['file_descriptors', '*net.OpError', 'accept tcp [::]:8080: accept4: too many open files'],
    ['disk', 'Error', 'ENOSPC: no space left on device, write'],
    [
      'rate_limit',
      'io.github.resilience4j.ratelimiter.RequestNotPermitted',
      "RateLimiter 'backend' does not permit further calls",
    ],
    ['rate_limit', 'ThrottlingException', 'Rate exceeded'],
    ['rate_limit', 'openai.RateLimitError', ''],
  ])('may tell of %s', (type, exceptionType, message) => {
    expect(signOf(exceptionType, message)?.type).toBe(type)
  })

  it.each([
    ['java.lang.NullPointerException', 'Cannot invoke "Pool.size()" because "pool" is null'],
    ['java.net.ConnectException', 'Connection refused'],
    ['System.TimeoutException', 'The operation has timed out.'],
    ['TimeoutError', 'The operation was aborted due to timeout'],
    ['', ''],
  ])('of %s with %s tells of no limit', (exceptionType, message) => {
    expect(signOf(exceptionType, message)).toBeUndefined()
  })

  it('may tell the name of the pool, its size and how many wait', () => {
    const hikari =
      'pay-primary - Connection is not available, request timed out after 30000ms (total=10, active=10, idle=0, waiting=34)'
    expect(signOf('java.sql.SQLTransientConnectionException', hikari)).toEqual({
      type: 'connection_pool',
      resource: 'connection pool',
      named: 'pay-primary',
      size: 10,
      waiting: 34,
    })
    const rejected =
      'Task X rejected from java.util.concurrent.ThreadPoolExecutor@1[Running, pool size = 8, active threads = 8, queued tasks = 100, completed tasks = 7]'
    expect(signOf('java.util.concurrent.RejectedExecutionException', rejected)).toMatchObject({ size: 8, waiting: 100 })
    expect(
      signOf('Npgsql.NpgsqlException', 'The connection pool orders has been exhausted (currently 20)'),
    ).toMatchObject({ named: 'orders', size: 20 })
    expect(
      signOf('*pgxpool.AcquireError', 'acquire from stock-db: context deadline exceeded (12 of 12 in use)'),
    ).toMatchObject({ named: 'stock-db', size: 12 })
  })

  it('is read at its beginning, however long its message is', () => {
    expect(signOf('Error', `${'x'.repeat(1_000_000)} too many connections`)).toBeUndefined()
    expect(signOf('Error', `too many connections ${'x'.repeat(1_000_000)}`)?.type).toBe('connection_pool')
  })
})
