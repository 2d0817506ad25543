import type { Call, ServiceShape, TrafficShape } from './traffic.ts'

const HOURS_MS = 3_600_000

const POSTGRES: Call = { to: 'db', chance: 0.9, attributes: { 'db.system.name': 'postgresql', 'db.namespace': 'main' } }
const MYSQL: Call = { to: 'old db', chance: 0.5, attributes: { 'db.system': 'mysql', 'db.name': 'orders' } }
const BANK: Call = { to: 'bank', chance: 0.3, attributes: { 'url.full': 'https://bank.example.com/v1' } }

function service(workMs: number, calls: Call[], more: Partial<ServiceShape> = {}): ServiceShape {
  return { operations: ['GET /', 'GET /item', 'POST /item'], calls, workMs, spread: 0.5, failShare: 0.01, ...more }
}

function calling(to: string, chance: number, more: Partial<Call> = {}): Call {
  return { to, chance, ...more }
}

/** The same traffic all the time, with a few errors. */
const steady: TrafficShape = {
  name: 'steady',
  seed: 11,
  spansMin: 4_500,
  when: (random) => -2.5 * HOURS_MS * random.fraction(),
  entries: ['web', 'web', 'web', 'api', 'job', 'cron'],
  services: {
    web: service(20, [calling('cart', 0.8), calling('pay', 0.3)]),
    api: service(30, [calling('pay', 0.7), BANK]),
    cart: service(10, [POSTGRES, MYSQL]),
    pay: service(40, [BANK, calling('cart', 0.2)], { failShare: 0.08 }),
    job: service(400, [POSTGRES], { rootKind: 'INTERNAL' }),
    cron: service(5, [calling('cart', 1)], { rootKind: 'CLIENT' }),
  },
}

/** Nothing for a while, then all at once; a service that is gone, and one that nobody needs any more. */
const bursty: TrafficShape = {
  name: 'bursty',
  seed: 12,
  spansMin: 4_000,
  when: (random) => {
    const burst = random.below(14)
    return -(burst * 11 * 60_000 + 95_000 * random.fraction() + 5000)
  },
  entries: ['web', 'api'],
  services: {
    web: service(20, [calling('cart', 0.9, { attributes: { 'server.address': 'cart' } })], { failShare: 0.3 }),
    api: service(600, [calling('cart', 0.3, { attributes: { 'peer.service': 'cart' } }), MYSQL]),
    cart: service(10, [POSTGRES], { untilMs: -24 * 60_000 }),
  },
}

/** Deep trees with several branches, nested SERVER spans and services that call themselves. */
const deep: TrafficShape = {
  name: 'deep',
  seed: 13,
  spansMin: 5_000,
  when: (random) => -2.2 * HOURS_MS * random.fraction(),
  entries: ['a'],
  overlaps: true,
  services: {
    a: service(5, [calling('b', 0.9, { parallel: true }), calling('b', 0.9, { parallel: true }), calling('c', 0.8)]),
    b: service(8, [calling('c', 0.7), calling('d', 0.7, { parallel: true }), calling('d', 0.5)], { nested: true }),
    c: service(15, [calling('d', 0.6), calling('e', 0.5)], { failShare: 0.04 }),
    d: service(3, [calling('e', 0.6), calling('d', 0.05, { attributes: { 'server.address': 'd' } }), POSTGRES]),
    e: service(30_000, [MYSQL, BANK], { spread: 1.5, nested: true, failShare: 0.1 }),
  },
}

/** Messages by link and by parent, taken at once or much later, to one and to several. */
const queues: TrafficShape = {
  name: 'queues',
  seed: 14,
  spansMin: 4_000,
  when: (random) => -2 * HOURS_MS * random.fraction(),
  entries: ['shop', 'shop', 'import'],
  services: {
    shop: service(20, [
      calling('mailer', 0.6, { message: 'link', attributes: { 'messaging.system': 'kafka' } }),
      calling('packer', 0.5, { message: 'child', attributes: { 'messaging.system': 'kafka' } }),
      calling('nobody', 0.4, {
        message: 'link',
        attributes: { 'messaging.system': 'rabbitmq', 'messaging.destination.name': 'audit' },
      }),
    ]),
    import: service(5, [calling('packer', 1, { message: 'link' })], { rootKind: 'PRODUCER' }),
    mailer: service(50, [calling('smtp', 0.9, { attributes: { 'net.peer.name': 'smtp.example.com' } })]),
    packer: service(200, [calling('mailer', 0.5, { message: 'link' }), POSTGRES], { spread: 1.2, failShare: 0.06 }),
  },
}

/** Clocks that disagree by minutes, one operation with nearly all requests, times from microseconds to minutes. */
const skewed: TrafficShape = {
  name: 'skewed',
  seed: 15,
  spansMin: 6_000,
  when: (random) => -1.8 * HOURS_MS * random.fraction() ** 2 - 100_000,
  entries: ['front', 'front', 'front', 'front', 'front', 'front', 'front', 'back'],
  services: {
    front: service(1, [calling('back', 0.2)], { operations: ['GET /', 'GET /', 'GET /', 'GET /'], spread: 2.5 }),
    back: service(300, [calling('rare', 0.5), BANK], {
      operations: Array.from({ length: 30 }, (_, n) => `GET /page/${'x'.repeat(n % 6)}${n}`),
      spread: 1.5,
      skewMs: -83_000,
    }),
    rare: service(0.002, [POSTGRES], { spread: 2, skewMs: 71_000.5 }),
  },
}

export const TRAFFIC_SHAPES: TrafficShape[] = [steady, bursty, deep, queues, skewed]
