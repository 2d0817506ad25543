/** What the first start has made, and where it is reached. */
export interface FirstStart {
  apiUrl: string
  otlpHttpUrl: string
  otlpGrpcUrl: string
  gridId: string
  /** Undefined where `FAULTLINE_API_KEY` gave it: whoever chose a secret needs no log that repeats it. */
  ownerKey: string | undefined
  ingestKey: string
  adminEmail: string
  /** Undefined where `FAULTLINE_ADMIN_PASSWORD` gave it. */
  adminPassword: string | undefined
}

/** Shown once, since only hashes of the secrets are kept. Its commands are ready to paste. */
export function firstStartBanner(made: FirstStart): string {
  return `
Faultline is ready. These were made for you and are not shown again:

  Grid           ${made.gridId}
  Owner key      ${made.ownerKey ?? 'the one in FAULTLINE_API_KEY'}
  Ingest key     ${made.ingestKey}  (can send, cannot read)
  Administrator  ${made.adminEmail}, password ${made.adminPassword ?? 'as in FAULTLINE_ADMIN_PASSWORD'}

Send telemetry, from any OpenTelemetry SDK or Collector (gRPC: ${made.otlpGrpcUrl}):

  export OTEL_EXPORTER_OTLP_ENDPOINT=${made.otlpHttpUrl}
  export OTEL_EXPORTER_OTLP_HEADERS=api-key=${made.ingestKey}

See how your services are:

  curl -H ${keyHeader(made.ownerKey)} '${made.apiUrl}/apm/diagnostics/${made.gridId}/health?api-version=2.0'

`
}

export function keyHeader(key: string | undefined): string {
  return key === undefined ? '"API-Key: $FAULTLINE_API_KEY"' : `'API-Key: ${key}'`
}
