import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/traces.ts'
import type { ApiCommand, Asked } from '../api-command.ts'
import { type Column, formatFields, formatTable } from '../table.ts'

type Detail = Static<typeof schemas.spanDetail>
type Tags = Static<typeof schemas.spanTags>
type Events = Static<typeof schemas.spanEvents>

export const span: ApiCommand<Detail> = {
  usage: 'span <spanId>',
  about: 'a span with its attributes and those of its resource',
  onGrid: true,
  ask: async (asked) => asked.client.get(`${await tracesPath(asked)}/details/${spanPath(asked)}`),
  show: (detail) =>
    `${formatFields([
      ['Span', detail.spanId],
      ['Trace', detail.traceId],
      ['Parent', detail.parentSpanId],
      ['Service', detail.serviceName],
      ['Operation', detail.operationName],
      ['Kind', detail.spanKind],
      ['Status', detail.statusMessage === '' ? detail.status : `${detail.status}: ${detail.statusMessage}`],
      ['Start', detail.startTime],
      ['End', detail.endTime],
      ['Duration', `${detail.duration} ms`],
    ])}\n\n${formatFields(Object.entries(detail.attributes))}`.trimEnd(),
}

export const spanTags: ApiCommand<Tags> = {
  usage: 'span-tags <spanId>',
  about: "a span's own attributes",
  onGrid: true,
  ask: async (asked) => asked.client.get(`${await tracesPath(asked)}/spans/${spanPath(asked)}/tags`),
  show: ({ tags }) => formatFields(Object.entries(tags)) || 'This span has no tags.',
}

const EVENT_COLUMNS: Column<Events['events'][number]>[] = [
  { title: 'TIME', value: (event) => event.timestamp },
  { title: 'EVENT', value: (event) => event.name },
  { title: 'ATTRIBUTES', value: (event) => JSON.stringify(event.attributes) },
]

export const spanEvents: ApiCommand<Events> = {
  usage: 'span-events <spanId>',
  about: 'the events of a span',
  onGrid: true,
  ask: async (asked) => asked.client.get(`${await tracesPath(asked)}/spans/${spanPath(asked)}/events`),
  show: ({ events }) => (events.length === 0 ? 'This span has no events.' : formatTable(EVENT_COLUMNS, events)),
}

async function tracesPath({ gridPath }: Asked<object>): Promise<string> {
  return `/apm/traces/${await gridPath()}`
}

function spanPath({ args: [spanId = ''] }: Asked<object>): string {
  return encodeURIComponent(spanId)
}
