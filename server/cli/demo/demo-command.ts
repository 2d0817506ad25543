import { type Command, Option } from 'commander'
import type { Flags } from '../../config/config.ts'
import { INCIDENT_KINDS } from '../../demo/incidents/incident.ts'
import { positiveNumber, wholeNumber } from '../option-parsers.ts'
import { settingOptions } from '../serve/serve-command.ts'
import type { Shell } from '../shell.ts'
import type { DemoFlags } from './demo.ts'

export function addDemoCommand(program: Command, shell: Shell): void {
  const command = program
    .command('demo')
    .description('run the server with a simulated shop that sends live telemetry and breaks now and then')
  for (const option of [...demoOptions(), ...settingOptions()]) command.addOption(option)
  command.action(async () => {
    const { demo } = await import('./demo.ts')
    await demo(shell, command.opts<DemoFlags>(), command.opts<Flags>())
  })
}

function demoOptions(): Option[] {
  return [
    new Option('--rate <n>', 'requests a second; each gives about 11 spans. By default 20').argParser(positiveNumber),
    new Option('--seed <text>', 'the same seed at the same moment gives the same telemetry'),
    new Option('--incident <kind>', 'plant this one at once, and no other').choices(INCIDENT_KINDS),
    new Option('--incident-service <name>', 'where it strikes: one of the services that this kind can strike in'),
    new Option('--no-incidents', 'plant none').conflicts('incident'),
    new Option('--incident-every <minutes>', 'how far apart incidents begin; by default 20').argParser(positiveNumber),
    new Option('--incident-minutes <minutes>', 'how long one lasts; by default 6').argParser(positiveNumber),
    new Option('--past-minutes <minutes>', 'how much calm past is sent first; by default 75').argParser(wholeNumber(0)),
    new Option('--url <url>', 'send to a server that runs already, with --api-key, instead of starting one'),
  ]
}
