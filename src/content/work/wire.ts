import type { FileOutcome, TextTasks } from './text-work.js'

/** Arguments that are JSON and not text, by place. */
const JSON_ARGUMENTS: Partial<Record<keyof TextTasks, readonly number[]>> = {
  print: [0],
  setMembers: [1],
  changeSummary: [1],
  setYaml: [1],
  editFile: [1],
  retarget: [1, 2],
  mentions: [1],
  mergeSummary: [3],
}
const places = (name: string): readonly number[] => JSON_ARGUMENTS[name as keyof TextTasks] ?? []

/** Arguments of a task as texts and files; those that are not given are left out at the end. */
export function encodeArguments(name: keyof TextTasks, args: readonly unknown[]): (string | Uint8Array)[] {
  const json = places(name)
  const given = args.slice(0, args.findLastIndex((one) => one !== undefined) + 1)
  return given.map((one, at) => (json.includes(at) ? JSON.stringify(one) : (one as string | Uint8Array)))
}

/** The arguments again. */
export function decodeArguments(name: string, args: readonly (string | Uint8Array)[]): unknown[] {
  const json = places(name)
  return args.map((one, at) => (json.includes(at) ? JSON.parse(one as string) : one))
}

/** Tasks whose outcome is a file. */
export const FILE_TASKS: ReadonlySet<string> = new Set<keyof TextTasks>(['editFile', 'retarget'])

/** An outcome as bytes: a line of JSON, behind which a file that was made follows as it is. */
export function encodeOutcome(outcome: FileOutcome): Uint8Array {
  const head = 'done' in outcome ? {} : outcome
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), 'done' in outcome ? outcome.done : new Uint8Array()])
}

/** The outcome again. */
export function decodeOutcome(bytes: Uint8Array): FileOutcome {
  const end = bytes.indexOf(10)
  const head = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString()) as Exclude<FileOutcome, { done: Uint8Array }> | Record<string, never>
  return 'refused' in head ? (head as Exclude<FileOutcome, { done: Uint8Array }>) : { done: bytes.subarray(end + 1) }
}
