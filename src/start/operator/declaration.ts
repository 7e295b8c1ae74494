/**
 * Declares the commands of the command line. The help, docs/commands.md, the parser and the checks of the control socket
 * follow from a declaration.
 */
import type { App } from '../../domain/context/app.js'
import type { Repair } from '../../domain/upkeep/reconcile.js'

/** The exit codes. They have the same meaning for all commands. */
export const EXIT = { done: 0, problems: 1, failed: 2 } as const

interface Described {
  description: string
}
/** A required argument. Its position is its place among the parameters. */
interface Argument extends Described {
  kind: 'argument'
}
/** An option with a value. */
interface Option extends Described {
  kind: 'option'
  /** Name of the value in the help, such as `<label>`. */
  value: string
  fallback?: string | undefined
  choices?: readonly string[] | undefined
}
interface RequiredOption extends Omit<Option, 'kind'> {
  kind: 'required option'
}
/** An option that can be repeated. */
interface RepeatedOption extends Omit<Option, 'kind' | 'fallback'> {
  kind: 'repeated option'
}
interface Flag extends Described {
  kind: 'flag'
}
export type Parameter = Argument | Option | RequiredOption | RepeatedOption | Flag
export type Parameters = Readonly<Record<string, Parameter>>

export const argument = (description: string): Argument => ({ kind: 'argument', description })
export const option = (value: string, description: string, choices?: readonly string[]): Option => ({
  kind: 'option',
  value,
  description,
  choices,
})
export const optionOr = (
  value: string,
  fallback: string,
  description: string,
  choices?: readonly string[],
): Option & { fallback: string } => ({ kind: 'option', value, fallback, description, choices })
export const requiredOption = (value: string, description: string): RequiredOption => ({
  kind: 'required option',
  value,
  description,
})
export const repeatedOption = (value: string, description: string): RepeatedOption => ({
  kind: 'repeated option',
  value,
  description: `${description}; can be repeated`,
})
export const flag = (description: string): Flag => ({ kind: 'flag', description })

type ValueOf<P> = P extends Flag
  ? boolean
  : P extends RepeatedOption
    ? readonly string[]
    : P extends Argument | RequiredOption | { fallback: string }
      ? string
      : string | undefined
/** The values that the operator gave, by the name of the parameter. */
export type Given<P> = { readonly [K in keyof P]: ValueOf<P[K]> }

/** The result of a command: a text for people, and a value for programs. */
export interface Outcome {
  text: string
  json: unknown
  /** Whether the command found problems that someone has to fix. */
  problems?: boolean
}

interface Declaration<P> {
  /** One or two words: `token`, `token list`. */
  name: string
  summary: string
  parameters: P
  /** A complete command line. */
  example: string
}

/** The surroundings of a command that works on an open installation. */
export interface Operation {
  app: App
  /** The repairs that the start made, if the command itself started the service. */
  repairs: readonly Repair[]
  /** The time when the server started; null if the command itself started the service. */
  since: Date | null
  /** Returns what the server lacks to serve requests, one item each. */
  missing(): Promise<string[]>
  /** Reports the progress of long work. */
  tell(progress: string): void
  /** Aborted when the server stops. */
  signal: AbortSignal
}

/** The organizations and resources that a command changes. */
export interface Concerned {
  organizations: readonly string[]
  /** IDs by kind. */
  resources: Readonly<Record<string, string>>
  /** Path of the created resource. */
  created?: string
}

/**
 * A command that works on an open installation: the running server executes it, or the command itself if no server
 * runs. It throws `ServiceError` if it is rejected.
 */
export interface OperatorCommand<P = Parameters> extends Declaration<P> {
  /**
   * Returns what the command changes, for the audit log. Absent for a command that only reads. Called before the command
   * and, with its outcome, after it.
   */
  concerns?(app: App, given: Given<P>, outcome?: Outcome): Promise<Concerned>
  /** Whether the command needs the queue of jobs, or must not be executed without a server. */
  needs?: 'jobs' | 'server'
  operate(operation: Operation, given: Given<P>): Promise<Outcome>
}

/** The surroundings of a command that runs in its own process. */
export interface Terminal {
  tell(progress: string): void
  /** Whether the operator wants JSON. */
  json: boolean
}

/** A command that runs in its own process. A command that serves until a signal returns null. */
export interface LocalCommand<P = Parameters> extends Declaration<P> {
  /**
   * Returns the resources whose data the command copies out of the installation, for the audit log; {} = all data.
   * Absent for a command that copies nothing, or notes itself.
   */
  copies?(given: Given<P>): Readonly<Record<string, string>>
  run(terminal: Terminal, given: Given<P>): Promise<Outcome | null>
}

/** A command of either kind, with its values unchecked (`wrongValue`). Methods accept narrower parameters. */
export type AnyOperatorCommand = Omit<OperatorCommand, 'operate' | 'concerns'> & {
  concerns?(app: App, given: Values, outcome?: Outcome): Promise<Concerned>
  operate(operation: Operation, given: Values): Promise<Outcome>
}
export type AnyLocalCommand = Omit<LocalCommand, 'run' | 'copies'> & {
  copies?(given: Values): Readonly<Record<string, string>>
  run(terminal: Terminal, given: Values): Promise<Outcome | null>
}
export type AnyCommand = AnyOperatorCommand | AnyLocalCommand
export type Values = Readonly<Record<string, unknown>>

export const operatorCommand = <P extends Parameters>(declared: OperatorCommand<P>): OperatorCommand<P> => declared
export const localCommand = <P extends Parameters>(declared: LocalCommand<P>): LocalCommand<P> => declared

/** Maximum number of characters of a value that an operator gives. */
const MAX_VALUE_LENGTH = 4_000

/** Returns the option of a parameter on the command line: `--claimed-in` for `claimedIn`. */
export const optionName = (parameter: string): string =>
  `--${parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_VALUE_LENGTH

/** Returns the name of a parameter whose value does not fit the declaration, or of an unknown value; null = none. */
export function wrongValue(parameters: Parameters, given: Values): string | null {
  const fits = (parameter: Parameter, value: unknown): boolean => {
    if (parameter.kind === 'flag') return typeof value === 'boolean'
    if (parameter.kind === 'repeated option') return Array.isArray(value) && value.every(isText)
    if (value === undefined) return parameter.kind === 'option' && parameter.fallback === undefined
    if (!isText(value)) return false
    return !('choices' in parameter) || parameter.choices === undefined || parameter.choices.includes(value)
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(parameters, name))
  if (unknown !== undefined) return unknown
  return Object.entries(parameters).find(([name, parameter]) => !fits(parameter, given[name]))?.[0] ?? null
}
