import { expect, test } from 'vitest'
import { type FirstStart, firstStartBanner } from './banner.ts'

const made: FirstStart = {
  apiUrl: 'http://127.0.0.1:8080',
  otlpHttpUrl: 'http://127.0.0.1:4318',
  otlpGrpcUrl: 'http://127.0.0.1:4317',
  gridId: '6f1d2c3b-4a59-4e87-9c10-2b3d4e5f6a7b',
  ownerKey: 'fl_owner',
  ingestKey: 'fl_ingest',
  adminEmail: 'admin@localhost',
  adminPassword: 'correct horse',
}

test('the first start shows what was made, with lines ready to paste', () => {
  expect(firstStartBanner(made)).toMatchInlineSnapshot(`
    "
    Faultline is ready. These were made for you and are not shown again:

      Grid           6f1d2c3b-4a59-4e87-9c10-2b3d4e5f6a7b
      Owner key      fl_owner
      Ingest key     fl_ingest  (can send, cannot read)
      Administrator  admin@localhost, password correct horse

    Send telemetry, from any OpenTelemetry SDK or Collector (gRPC: http://127.0.0.1:4317):

      export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318
      export OTEL_EXPORTER_OTLP_HEADERS=api-key=fl_ingest

    See how your services are:

      curl -H 'API-Key: fl_owner' 'http://127.0.0.1:8080/apm/diagnostics/6f1d2c3b-4a59-4e87-9c10-2b3d4e5f6a7b/health?api-version=2.0'

    "
  `)
})

test('a secret that was given is not repeated, and the commands still work', () => {
  const banner = firstStartBanner({ ...made, ownerKey: undefined, adminPassword: undefined })
  expect(banner).toContain('Owner key      the one in FAULTLINE_API_KEY')
  expect(banner).toContain('curl -H "API-Key: $FAULTLINE_API_KEY" \'http')
  expect(banner).toContain('admin@localhost, password as in FAULTLINE_ADMIN_PASSWORD')
})
