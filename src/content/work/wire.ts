/** Encodes arguments and results of tasks for threads. */
import type { FileOutcome, TextTasks } from './text-work.js'

/** The form of a value: `raw` for texts and files, `json` for everything else. */
type Kinds<A extends readonly unknown[]> = {
  readonly [I in keyof A]-?: NonNullable<A[I]> extends string | Uint8Array ? 'raw' : 'json'
}

/** The form in which each argument is sent. The compiler checks it against the tasks. */
const ARGUMENTS: { readonly [K in keyof TextTasks]: Kinds<Parameters<TextTasks[K]>> } = {
  page: ['raw', 'raw'],
  yaml: ['raw'],
  toml: ['raw'],
  summary: ['raw'],
  references: ['raw'],
  codeSpans: ['raw'],
  commentTargets: ['raw'],
  followBlock: ['raw', 'raw', 'raw'],
  limit: ['raw'],
  print: ['json', 'raw'],
  setMembers: ['raw', 'json', 'raw'],
  heading: ['raw'],
  editFile: ['raw', 'json'],
  retarget: ['raw', 'json', 'json'],
  mentions: ['raw', 'json'],
  keepLineEnds: ['raw', 'raw'],
  largePage: ['raw', 'raw'],
  changeSummary: ['raw', 'json'],
  setYaml: ['raw', 'json', 'json'],
  mergeSummary: ['raw', 'raw', 'raw', 'json'],
  mergePage: ['raw', 'raw', 'raw'],
  mergeYaml: ['raw', 'raw', 'raw'],
  mergeChunks: ['raw', 'raw', 'raw', 'json'],
  pageNeeds: ['json', 'json', 'json'],
  weavePage: ['json', 'json', 'json', 'json'],
}
const KINDS = new Map<string, readonly string[]>(Object.entries(ARGUMENTS))
const isJson = (name: string, at: number): boolean => KINDS.get(name)?.[at] === 'json'

/** Encodes a task's arguments as texts and files. Omits trailing undefined arguments. */
export function encodeArguments(name: keyof TextTasks, args: readonly unknown[]): (string | Uint8Array)[] {
  const given = args.slice(0, args.findLastIndex((one) => one !== undefined) + 1)
  return given.map((one, at) => (isJson(name, at) ? JSON.stringify(one) : (one as string | Uint8Array)))
}

/** Decodes the result of `encodeArguments`. */
export function decodeArguments(name: string, args: readonly (string | Uint8Array)[]): unknown[] {
  return args.map((one, at) => (isJson(name, at) ? JSON.parse(one as string) : one))
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
  const head: Exclude<FileOutcome, { done: Uint8Array }> | Record<string, never> = JSON.parse(
    Buffer.from(bytes.subarray(0, end)).toString(),
  )
  return 'refused' in head ? (head as Exclude<FileOutcome, { done: Uint8Array }>) : { done: bytes.subarray(end + 1) }
}
