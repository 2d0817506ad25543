import { createServer } from 'node:net'

/** Ports that nobody uses at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject)
          server.listen(0, '127.0.0.1', () => resolve(portOf(server.address())))
        }),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

function portOf(address: unknown): number {
  if (typeof address === 'object' && address !== null && 'port' in address) return Number(address.port)
  throw new Error('a listening server has no port')
}
