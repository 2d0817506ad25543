import { chmod, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ControlStore } from '../control/control-store.ts'

const CLIENT_ID = 'faultline-local-admin'

/**
 * Lets the command line on this machine administer the server: whoever can read the data folder may. The secret is new at
 * each start.
 */
export async function writeLocalAdmin(control: ControlStore, dataDir: string, url: string): Promise<void> {
  await control.clients.remove(CLIENT_ID)
  const { secret } = await control.clients.create({
    id: CLIENT_ID,
    name: 'The command line on this machine',
    admin: true,
  })
  const text = JSON.stringify(
    { url, tokenUrl: `${url}/oauth/token`, clientId: CLIENT_ID, clientSecret: secret },
    null,
    2,
  )
  const file = join(dataDir, 'admin.json')
  await writeFile(`${file}.new`, `${text}\n`, { mode: 0o600 })
  await chmod(`${file}.new`, 0o600)
  await rename(`${file}.new`, file)
}
