import type { Socket } from 'node:net'

/** How a connection is known to both ends of it; also where a server sees only what TLS made of the socket. */
interface Peer {
  remoteAddress?: string | undefined
  remotePort?: number | undefined
}

/** A bounded number of open connections, of which the idle ones yield to newcomers. */
export interface ConnectionSlots {
  /** Where all slots are taken, closes an idle connection, or the newcomer if none is idle. */
  add(socket: Socket): void
  /** A request began on this connection. The function it returns ends it. */
  begin(peer: Peer): () => void
  /** Closes the idle connections now, and after that time all that are still open. */
  closeWithin(graceMs: number): void
  readonly open: number
  /** Connections that were closed for want of room. */
  readonly turnedAway: number
}

interface Connection {
  key: string
  socket: Socket
  requests: number
}

export function createConnectionSlots(connectionsMax: number): ConnectionSlots {
  const connections = new Map<string, Connection>()
  // Both sets keep their order, so that the first is the one that has been idle longest.
  const silent = new Set<Connection>()
  const idle = new Set<Connection>()
  let turnedAway = 0

  function forget(connection: Connection): void {
    if (connections.get(connection.key) === connection) connections.delete(connection.key)
    silent.delete(connection)
    idle.delete(connection)
  }

  /** Those that never asked anything go first. */
  function closeOneIdle(): boolean {
    const [victim] = silent.size > 0 ? silent : idle
    if (victim === undefined) return false
    turnedAway += 1
    forget(victim)
    victim.socket.destroy()
    return true
  }

  return {
    add(socket) {
      if (connections.size >= connectionsMax && !closeOneIdle()) {
        turnedAway += 1
        socket.destroy()
        return
      }
      const connection = { key: keyOf(socket), socket, requests: 0 }
      connections.set(connection.key, connection)
      silent.add(connection)
      socket.once('close', () => forget(connection))
    },
    begin(peer) {
      const connection = connections.get(keyOf(peer))
      if (connection === undefined) return () => undefined
      connection.requests += 1
      silent.delete(connection)
      idle.delete(connection)
      return () => {
        connection.requests -= 1
        if (connection.requests === 0 && connections.get(connection.key) === connection) idle.add(connection)
      }
    },
    closeWithin(graceMs) {
      for (const { socket } of [...silent, ...idle]) socket.destroy()
      const closeAll = (): void => {
        for (const { socket } of connections.values()) socket.destroy()
      }
      if (graceMs > 0) setTimeout(closeAll, graceMs).unref()
      else closeAll()
    },
    get open() {
      return connections.size
    },
    get turnedAway() {
      return turnedAway
    },
  }
}

function keyOf({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`
}
