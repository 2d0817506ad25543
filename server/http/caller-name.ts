import type { ControlStore } from '../control/control-store.ts'
import type { Caller } from '../identity/caller.ts'

/** Who it was, as a person reads it: an address, the name of a client or a key, or else what is known. */
export async function callerName({ users, clients, keys }: ControlStore, caller: Caller): Promise<string> {
  if (caller.kind === 'user') return (await users.find(caller.id))?.email ?? caller.id
  if (caller.kind === 'client') return (await clients.find(caller.id))?.name ?? caller.id
  const key = (await keys.list(caller.gridId)).find(({ id }) => id === caller.id)
  return `API key ${key?.name ?? caller.id}`
}
