import type { Kind, RawSpan } from './raw-span.ts'

/** In nanoseconds from the moment: the start is in it, the end is not. */
export interface RawWindow {
  startNs: number
  endNs: number
}

/** A call of one service to one target. */
export interface RawCall {
  span: RawSpan
  target: string
  /** Failed, with nothing below it. */
  unanswered: boolean
}

const NS_PER_DAY = 86_400e9

/** Spans with what the contract's rules need to know of their neighbours. */
export class RawGrid {
  readonly spans: RawSpan[]
  private readonly byId: Map<string, RawSpan>
  private readonly followers = new Map<string, RawSpan[]>()
  private readonly children = new Set<string>()

  constructor(spans: RawSpan[]) {
    this.spans = spans
    this.byId = new Map(spans.map((span) => [idOf(span), span]))
    for (const span of spans) {
      const parent = `${span.traceId} ${span.parentSpanId}`
      this.children.add(parent)
      for (const followed of [parent, ...span.links.map(idOf)]) {
        const same = this.followers.get(followed)
        if (same) same.push(span)
        else this.followers.set(followed, [span])
      }
    }
  }

  parentOf(span: RawSpan): RawSpan | undefined {
    return this.byId.get(`${span.traceId} ${span.parentSpanId}`)
  }

  within({ startNs, endNs }: RawWindow): RawSpan[] {
    return this.spans.filter((span) => span.startNs >= startNs && span.startNs < endNs)
  }

  requests(window: RawWindow): RawSpan[] {
    const day = this.within({ startNs: window.endNs - NS_PER_DAY, endNs: window.endNs })
    const asked = new Set(day.filter(isAsked).map(({ service }) => service))
    return this.within(window).filter((span) => {
      const parent = this.parentOf(span)
      if (!asked.has(span.service)) return parent?.service !== span.service
      return isAsked(span) && !isReceiving(span) && !(parent && isAsked(parent) && parent.service === span.service)
    })
  }

  calls(window: RawWindow): RawCall[] {
    const day = this.within({ startNs: window.endNs - NS_PER_DAY, endNs: window.endNs })
    const known = new Set(day.map(({ service }) => service))
    return this.within(window)
      .filter(({ kind }) => kind === 'CLIENT' || kind === 'PRODUCER')
      .flatMap((span) => this.targetsOf(span, known).map((target) => this.callOf(span, target)))
      .filter(({ span, target }) => target !== '' && target !== span.service)
  }

  private callOf(span: RawSpan, target: string): RawCall {
    return { span, target, unanswered: span.failed && !this.children.has(idOf(span)) }
  }

  private targetsOf(span: RawSpan, known: Set<string>): string[] {
    const followers = this.followers.get(idOf(span)) ?? []
    const others = new Set(followers.map(({ service }) => service).filter((name) => name !== span.service))
    return others.size > 0 ? [...others] : [namedTarget(span, known)]
  }
}

function idOf({ traceId, spanId }: { traceId: string; spanId: string }): string {
  return `${traceId} ${spanId}`
}

function isAsked({ kind }: { kind: Kind }): boolean {
  return kind === 'SERVER' || kind === 'CONSUMER'
}

function isReceiving({ attributes }: RawSpan): boolean {
  return [attributes['messaging.operation.type'], attributes['messaging.operation']].includes('receive')
}

function namedTarget({ attributes }: RawSpan, known: Set<string>): string {
  const text = (key: string) => String(attributes[key] ?? '')
  const name = text('peer.service') || text('server.address')
  if (known.has(name)) return name
  const database = text('db.system.name') || text('db.system')
  const namespace = text('db.namespace') || text('db.name')
  if (database) return namespace ? `${database}/${namespace}` : database
  const destination = text('messaging.destination.name')
  if (text('messaging.system')) return text('messaging.system') + (destination && `/${destination}`)
  const host = /^https?:\/\/([^/:]+)/.exec(text('url.full'))?.[1] ?? ''
  return text('server.address') || text('net.peer.name') || host || name
}
