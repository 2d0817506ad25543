import { CAUSES, type CauseKey } from '../../../server/diagnostics/diagnosis/catalogue.ts'
import type { Label, PlantedFault } from '../incidents/incident.ts'
import type { GivenDiagnosis } from '../play/player.ts'

/** What is right about an answer to one question. */
export interface Judgement {
  /** The first diagnosis names the service at fault. */
  top1: boolean
  /** One of the first three does. */
  top3: boolean
  /** The first diagnosis names the service, and begins with a phrase that is right. */
  kind: boolean
  /** The first diagnosis names the dependency, instance, version, region or customer; undefined where its fault has none. */
  culprit: boolean | undefined
  /** How much later than the true onset the first diagnosis puts it; undefined unless it names the service. */
  onsetOffMs: number | undefined
  /** Each fault has a diagnosis of its own among the first three; undefined unless there are several faults. */
  allFaults: boolean | undefined
  /** Some diagnosis is given with a confidence that calls for action. */
  isAccusation: boolean
}

export const ACCUSATION_CONFIDENCE = 0.5

export function judge(label: Label, diagnoses: GivenDiagnosis[]): Judgement {
  const [first] = diagnoses
  const fault = first && faultOf(label, first)
  const three = diagnoses.slice(0, 3)
  return {
    top1: fault !== undefined,
    top3: three.some((given) => faultOf(label, given) !== undefined),
    kind: first !== undefined && isOfRightKind(label, first),
    culprit: hasCulprit(label, fault) ? first !== undefined && namesCulprit(label, first) : undefined,
    onsetOffMs: first && fault ? first.firstDetectedMs - label.onsetMs : undefined,
    allFaults:
      label.faults.length > 1 ? label.faults.every((each) => three.some((given) => names(each, given))) : undefined,
    isAccusation: diagnoses.some(({ confidence }) => confidence >= ACCUSATION_CONFIDENCE),
  }
}

/** Of two faults the one that is named counts, which may have no culprit; where none is named, either does. */
function hasCulprit({ faults }: Label, named: PlantedFault | undefined): boolean {
  return (named ? [named] : faults).some(({ culprit }) => culprit)
}

/** The fault whose service a diagnosis blames. */
export function faultOf({ faults }: Label, given: GivenDiagnosis): PlantedFault | undefined {
  return faults.find((fault) => names(fault, given))
}

export function isOfRightKind({ faults }: Label, given: GivenDiagnosis): boolean {
  const cause = causeOf(given.cause)
  return cause !== undefined && faults.some((fault) => names(fault, given) && fault.causes.includes(cause))
}

/** What a cause begins with. */
export function causeOf(cause: string): CauseKey | undefined {
  const keys = Object.keys(CAUSES) as CauseKey[]
  return keys.find((key) => cause.startsWith(`${CAUSES[key].phrase} in `))
}

function names({ serviceNames }: PlantedFault, { affectedServices: [blamed] }: GivenDiagnosis): boolean {
  return blamed !== undefined && serviceNames.includes(blamed)
}

/** In the cause itself, which is what a person reads first, and as a whole name rather than as a part of another one. */
function namesCulprit({ faults }: Label, given: GivenDiagnosis): boolean {
  return faults.some(
    (fault) => names(fault, given) && (fault.culprit?.names ?? []).some((name) => hasName(given.cause, name)),
  )
}

function hasName(text: string, name: string): boolean {
  const isPart = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character)
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + name.length])) return true
  return false
}
