import type { Process } from '../engine/kernel.ts'
import type { Step } from '../topology/step.ts'
import { callExternal } from './call-external.ts'
import { callService } from './call-service.ts'
import { Fault } from './fault.ts'
import { asFault, type Frame, say, withInternalSpan } from './frame.ts'
import { publishMessage } from './publish-message.ts'
import { queryDatabase, withConnection } from './query-database.ts'

/** One step after the other; the first fault ends them. */
export function* runSteps(frame: Frame, steps: readonly Step[]): Process<void> {
  for (const step of steps) yield* runStep(frame, step)
}

function* runStep(frame: Frame, step: Step): Process<void> {
  const { shop, instance } = frame
  switch (step.do) {
    case 'compute':
      return yield* instance.processor.compute(shop.random.lognormal(step.cpuMs, 0.25))
    case 'query':
      return yield* queryDatabase(frame, step)
    case 'transaction':
      return yield* withConnection(frame, step.database, (held) => runSteps({ ...frame, held }, step.steps))
    case 'call':
      return yield* callService(frame, step)
    case 'external':
      return yield* callExternal(frame, step)
    case 'publish':
      return yield* publishMessage(frame, step.topic)
    case 'together':
      return yield* runTogether(frame, step.branches)
    case 'sometimes':
      if (shop.random.chance(step.share)) yield* runSteps(frame, step.steps)
      return
    case 'repeat':
      for (let i = 0; i < step.times; i += 1) yield* runSteps(frame, step.steps)
      return
    case 'within':
      return yield* withInternalSpan(frame, step.name, (inner) => runSteps(inner, step.steps))
    case 'say':
      return say(frame, step.level, step.text)
    case 'fail':
      if (shop.random.chance(step.share)) throw new Fault(step.type, step.message, step.status)
      return
  }
}

/** All branches are waited for, also when one has failed; then the first fault counts. */
function* runTogether(frame: Frame, branches: Step[][]): Process<void> {
  const faults: Fault[] = []
  yield* frame.shop.kernel.together(branches.map((steps) => runBranch(frame, steps, faults)))
  if (faults[0] !== undefined) throw faults[0]
}

function* runBranch(frame: Frame, steps: Step[], faults: Fault[]): Process<void> {
  try {
    yield* runSteps(frame, steps)
  } catch (error) {
    faults.push(asFault(error))
  }
}
