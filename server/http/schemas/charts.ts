import Type from 'typebox'
import { PICTURE_PIXELS, THEMES } from '../../charts/picture.ts'
import { CHART_LIMITS, CHART_METRICS, CHART_TYPES } from '../../domain/chart.ts'
import { DASHBOARD_COLUMNS, DASHBOARD_LIMITS } from '../../domain/dashboard.ts'
import { attributeValue, datetimeIn, datetimeOut, dictionary, fields, integer, name, orNull, text } from './values.ts'

export const chartId = name('A chart, by its id.')
export const dashboardId = name('A dashboard, by its id.')

const metric = name(
  `${CHART_METRICS.map((each) => `\`${each}\``).join(', ')}, or the name of a stored metric.`,
  CHART_LIMITS.metricCharsMax,
)
const metrics = Type.Array(metric, {
  description: 'What the chart shows, each metric once.',
  minItems: 1,
  maxItems: CHART_LIMITS.metricsMax,
  uniqueItems: true,
})
const chartType = Type.Enum(CHART_TYPES, { description: 'By default line.' })
const title = name('What it is called.', CHART_LIMITS.titleCharsMax)
const serviceName = orNull(
  name('The one service it is about; null, the default, for all of them.', CHART_LIMITS.serviceNameCharsMax),
)
const groupBy = text(
  'The attribute whose values are told apart, a line for each; empty, the default, for one line. `service.name`, `span.name`, `span.kind`, `severity` of log records, or any attribute of a record or its resource.',
  CHART_LIMITS.attributeCharsMax,
)
const unit = text('What values are counted in. By default that of the first metric.', CHART_LIMITS.unitCharsMax)
const FILTER =
  'Attributes that must have these values, compared as text. The names are those of `groupBy`; of metrics that a record cannot have, nothing is left.'

export const newChart = fields({
  title,
  chartType: Type.Optional(chartType),
  serviceName: Type.Optional(serviceName),
  metric: Type.Optional({ ...metric, description: 'For one metric, instead of `metrics`.' }),
  metrics: Type.Optional(metrics),
  filter: Type.Optional(
    orNull(dictionary(attributeValue, { description: FILTER, maxProperties: CHART_LIMITS.filtersMax })),
  ),
  groupBy: Type.Optional(orNull(groupBy)),
  unit: Type.Optional(orNull(unit)),
})

export const chart = fields({
  id: Type.String(),
  title: Type.String({ examples: ['Latency percentiles'] }),
  chartType,
  serviceName,
  metric: Type.String({ description: 'The first of `metrics`.', examples: ['latency_p95'] }),
  metrics,
  filter: dictionary(Type.String(), { description: FILTER }),
  groupBy,
  unit: Type.String({ examples: ['ms'] }),
  createdAt: datetimeOut(),
  updatedAt: datetimeOut(),
})

export const rangeQuery = {
  rangeStart: Type.Optional(datetimeIn('The first moment; by default an hour before the end.')),
  rangeEnd: Type.Optional(datetimeIn('The moment after the last; by default now.')),
}

const pixels = (byDefault: number) =>
  Type.Optional(integer(`In pixels; by default ${byDefault}.`, PICTURE_PIXELS.min, PICTURE_PIXELS.max))

export const renderQuery = {
  width: pixels(PICTURE_PIXELS.width),
  height: pixels(PICTURE_PIXELS.height),
  theme: Type.Optional(Type.Enum(THEMES, { description: 'By default dark.' })),
  ...rangeQuery,
}

export const png = Type.Unsafe<Uint8Array>({ type: 'string', contentMediaType: 'image/png' })

export const chartRangeData = fields({
  chartId: Type.String(),
  title: Type.String(),
  unit: Type.String({ examples: ['ms'] }),
  rangeStart: datetimeOut(),
  rangeEnd: datetimeOut(),
  series: Type.Array(
    fields({
      label: Type.String({ examples: ['latency_p95'] }),
      dataPoints: Type.Array(fields({ timestamp: datetimeOut(), value: Type.Number({ examples: [42.5] }) }), {
        description: 'Ascending. Where there is no data there is no point.',
      }),
    }),
    { description: 'In the order of the metrics; of one metric the greatest first, of apdex the least.' },
  ),
})

const position = fields({
  row: integer('Counted from 0.', 0, DASHBOARD_LIMITS.rowMax),
  col: integer(`Of ${DASHBOARD_COLUMNS} columns, counted from 0.`, 0, DASHBOARD_COLUMNS - 1),
  width: integer('In columns.', 1, DASHBOARD_COLUMNS),
  height: integer('In rows.', 1, DASHBOARD_LIMITS.heightMax),
})

const description = text('What it is for.', DASHBOARD_LIMITS.descriptionCharsMax)

export const newDashboard = fields({
  title: name('What it is called.', DASHBOARD_LIMITS.titleCharsMax),
  description: Type.Optional(description),
  charts: Type.Optional(
    Type.Array(fields({ chartId, position: Type.Optional(position) }), {
      description: 'Charts of the Grid. One without a position is placed below the others.',
      maxItems: DASHBOARD_LIMITS.tilesMax,
    }),
  ),
})

export const dashboard = fields({
  id: Type.String(),
  title: Type.String({ examples: ['Overview'] }),
  description,
  createdAt: datetimeOut(),
  updatedAt: datetimeOut(),
  charts: Type.Array(fields({ chartId: Type.String(), title: Type.String(), chartType, position })),
})
