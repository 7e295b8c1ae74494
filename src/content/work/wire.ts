import type { TextTasks } from './text-work.js'

/** Arguments that are JSON and not text, by place. */
const JSON_ARGUMENTS: Partial<Record<keyof TextTasks, readonly number[]>> = { print: [0], setMembers: [1], changeSummary: [1], setYaml: [1] }
const places = (name: string): readonly number[] => JSON_ARGUMENTS[name as keyof TextTasks] ?? []

/** Arguments of a task as texts; those that are not given are left out at the end. */
export function encodeArguments(name: keyof TextTasks, args: readonly unknown[]): string[] {
  const json = places(name)
  const given = args.slice(0, args.findLastIndex((one) => one !== undefined) + 1)
  return given.map((one, at) => (json.includes(at) ? JSON.stringify(one) : (one as string)))
}

/** The arguments again. */
export function decodeArguments(name: string, args: readonly string[]): unknown[] {
  const json = places(name)
  return args.map((one, at) => (json.includes(at) ? JSON.parse(one) : one))
}
