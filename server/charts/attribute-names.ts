import { SERVICE_NAME, SEVERITY, SPAN_KIND, SPAN_NAME } from '../storage/chart-reader.ts'

/** What answers of the API call these attributes is understood too. */
const OTHER_NAMES: Record<string, string> = {
  serviceName: SERVICE_NAME,
  operationName: SPAN_NAME,
  spanKind: SPAN_KIND,
  severityLevel: SEVERITY,
}

export function attributeName(given: string): string {
  return Object.hasOwn(OTHER_NAMES, given) ? (OTHER_NAMES[given] as string) : given
}
