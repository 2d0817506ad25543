import { connect, type Socket } from 'node:net'

/** Faster, and the kernel's queue of connections that wait to be accepted would overflow. */
const AT_ONCE = 200
const CONNECT_TIMEOUT_MS = 10_000

/** Connections on which nothing is said. */
export class IdleConnections {
  refused = 0
  private readonly sockets = new Set<Socket>()

  /** Those that the server has not closed. */
  get open(): number {
    return this.sockets.size
  }

  async add(port: number, count: number): Promise<void> {
    for (let made = 0; made < count; made += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - made) }, () => this.addOne(port)))
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  private async addOne(port: number): Promise<void> {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.connecting && socket.destroy())
    await new Promise<void>((resolve) => {
      socket.once('connect', () => {
        this.sockets.add(socket)
        resolve()
      })
      socket.once('close', () => {
        if (!this.sockets.delete(socket)) this.refused++
        resolve()
      })
    })
  }
}
