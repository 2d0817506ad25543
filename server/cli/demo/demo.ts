import type { Flags } from '../../config/config.ts'
import { webAddress } from '../../config/parsers.ts'
import { BadDemoOption, type DemoOptions, settleOptions } from '../../demo/demo-options.ts'
import type { IncidentKind } from '../../demo/incidents/incident.ts'
import { runDemo } from '../../demo/run-demo.ts'
import { WrongUsage } from '../failure.ts'
import { announce } from '../serve/serve.ts'
import { openServer } from '../serve/server-process.ts'
import { printLine, type Shell } from '../shell.ts'
import { demoAccess } from './demo-access.ts'
import { askCommand, whereToLook } from './where-to-look.ts'

/** Besides the settings of the server, which are flags as well. */
export interface DemoFlags {
  rate?: number
  seed?: string
  incident?: IncidentKind
  incidentService?: string
  incidents: boolean
  incidentEvery?: number
  incidentMinutes?: number
  pastMinutes?: number
  url?: string
  apiKey?: string
}

type Choices = Omit<DemoOptions, 'endpoint' | 'headers' | 'signal'>

export async function demo(shell: Shell, flags: DemoFlags, settings: Flags): Promise<void> {
  const choices = choicesOf(shell, flags)
  if (flags.url === undefined) await withOwnServer(shell, settings, choices)
  else await againstServer(shell, flags, choices)
}

/** Both stop at the first signal: the shop, then the server that takes what the shop has sent. */
async function withOwnServer(shell: Shell, settings: Flags, choices: Choices): Promise<void> {
  const env = { ...shell.env, FAULTLINE_LOG_LEVEL: shell.env['FAULTLINE_LOG_LEVEL'] || 'warn' }
  const server = await openServer(env, settings)
  const stop = new AbortController()
  let shop: Promise<unknown> = Promise.resolve()
  try {
    announce(shell, server)
    const access = await demoAccess(server)
    printLine(shell.stdout, whereToLook(access))
    shop = runDemo({
      ...choices,
      endpoint: server.running.otlpHttpUrl,
      headers: { 'api-key': access.ingestKey },
      commandFor: (question) => askCommand(access, question),
      signal: stop.signal,
    })
    await Promise.race([server.stopping, shop])
  } finally {
    stop.abort()
    await shop.catch(() => undefined)
    await server.close()
  }
}

async function againstServer(shell: Shell, { url = '', apiKey }: DemoFlags, choices: Choices): Promise<void> {
  const endpoint = webAddress.parse(url)
  if (endpoint === undefined) throw new WrongUsage(`--url is ${JSON.stringify(url)}: it must be ${webAddress.accepts}`)
  const key = apiKey || shell.env['FAULTLINE_API_KEY']
  if (!key) throw new WrongUsage('--url needs --api-key (or FAULTLINE_API_KEY) with the scope ingest.')
  const stop = new AbortController()
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(1)
    stop.abort()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  const commandFor = (question: string): string => `faultline query ${question} --url ${endpoint}`
  await runDemo({ ...choices, endpoint, headers: { 'api-key': key }, commandFor, signal: stop.signal })
}

/** Judged before anything is started. */
function choicesOf(shell: Shell, flags: DemoFlags): Choices {
  const {
    rate,
    seed,
    incident,
    incidentService: service,
    incidents,
    incidentEvery,
    incidentMinutes,
    pastMinutes,
  } = flags
  if (service !== undefined && incident === undefined) throw new WrongUsage('--incident-service needs --incident.')
  const choices: Choices = {
    print: (line) => printLine(shell.stdout, line),
    ...(rate !== undefined && { rate }),
    ...(seed !== undefined && { seed }),
    ...(incident !== undefined && { incidents: service === undefined ? incident : { kind: incident, service } }),
    ...(!incidents && { incidents: 'none' as const }),
    ...(incidentEvery !== undefined && { incidentEveryMinutes: incidentEvery }),
    ...(incidentMinutes !== undefined && { incidentMinutes }),
    ...(pastMinutes !== undefined && { pastMinutes }),
  }
  try {
    settleOptions({ ...choices, endpoint: '', headers: {}, signal: new AbortController().signal })
  } catch (error) {
    if (error instanceof BadDemoOption) throw new WrongUsage(error.message)
    throw error
  }
  return choices
}
