import type { Flags } from '../../config/config.ts'
import { firstStartBanner } from '../banner.ts'
import { printLine, type Shell } from '../shell.ts'
import { openServer, type ServerProcess } from './server-process.ts'

/** Runs until a signal asks to stop; everything that was taken is on disk then. */
export async function serve(shell: Shell, flags: Flags): Promise<void> {
  const server = await openServer(shell.env, flags)
  try {
    announce(shell, server)
    await server.stopping
  } finally {
    await server.close()
  }
}

/** Where the server is; on the very first start also what it has made, which is told only then. */
export function announce({ stdout }: Shell, { running }: ServerProcess): void {
  const { url, otlpHttpUrl, otlpGrpcUrl, firstGrid } = running
  if (firstGrid) stdout.write(firstStartBanner({ apiUrl: url, otlpHttpUrl, otlpGrpcUrl, ...firstGrid }))
  else printLine(stdout, `Faultline is ready: ${url} (OTLP/HTTP ${otlpHttpUrl}, OTLP/gRPC ${otlpGrpcUrl})`)
}
