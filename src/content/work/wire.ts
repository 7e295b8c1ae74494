/** Encodes arguments and results of tasks for threads. */
import type { FileOutcome, TextTasks } from './text-work.js'

/** The indexes of arguments that are sent as JSON. */
const JSON_ARGUMENTS: Partial<Record<keyof TextTasks, readonly number[]>> = {
  print: [0],
  setMembers: [1],
  changeSummary: [1],
  setYaml: [1],
  editFile: [1],
  retarget: [1, 2],
  mentions: [1],
  mergeSummary: [3],
  pageNeeds: [0, 1, 2],
  weavePage: [0, 1, 2, 3],
}
const jsonArguments = (name: string): readonly number[] => JSON_ARGUMENTS[name as keyof TextTasks] ?? []

/** Encodes a task's arguments as texts and files. Omits trailing undefined arguments. */
export function encodeArguments(name: keyof TextTasks, args: readonly unknown[]): (string | Uint8Array)[] {
  const json = jsonArguments(name)
  const given = args.slice(0, args.findLastIndex((one) => one !== undefined) + 1)
  return given.map((one, at) => (json.includes(at) ? JSON.stringify(one) : (one as string | Uint8Array)))
}

/** Decodes the result of `encodeArguments`. */
export function decodeArguments(name: string, args: readonly (string | Uint8Array)[]): unknown[] {
  const json = jsonArguments(name)
  return args.map((one, at) => (json.includes(at) ? JSON.parse(one as string) : one))
}

/** Tasks whose result is a file. */
export const FILE_TASKS: ReadonlySet<string> = new Set<keyof TextTasks>(['editFile', 'retarget'])

/** Encodes an outcome as a line of JSON, followed by the bytes of the file, if there is one. */
export function encodeOutcome(outcome: FileOutcome): Uint8Array {
  const head = 'done' in outcome ? {} : outcome
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), 'done' in outcome ? outcome.done : new Uint8Array()])
}

/** Decodes the result of `encodeOutcome`. */
export function decodeOutcome(bytes: Uint8Array): FileOutcome {
  const end = bytes.indexOf(10)
  const head = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString()) as
    | Exclude<FileOutcome, { done: Uint8Array }>
    | Record<string, never>
  return 'refused' in head ? (head as Exclude<FileOutcome, { done: Uint8Array }>) : { done: bytes.subarray(end + 1) }
}
