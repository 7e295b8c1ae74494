/** Builds the command line from the declarations of the commands. */
import { Argument, Command, Option } from 'commander'
import { operatorCommands } from '../start/operator/commands.js'
import {
  type AnyCommand,
  type AnyLocalCommand,
  EXIT,
  optionName,
  type Outcome,
  type Parameter,
  type Terminal,
  type Values,
  wrongValue,
} from '../start/operator/declaration.js'
import { localCommands } from './local-commands.js'

/** All commands, in the order of the help and of docs/commands.md. */
export const allCommands: readonly AnyCommand[] = [
  ...localCommands.slice(0, 1),
  ...operatorCommands,
  ...localCommands.slice(1),
]

/** Texts for groups of commands that are not commands themselves. */
const GROUPS: Readonly<Record<string, string>> = {
  connection: 'list the connections of spaces',
  org: 'list, create and staff organizations',
  space: 'list, create, delete and restore spaces',
}

/** Returns the command line. Errors of the usage end the process with the code for commands that were not executed. */
export function createProgram(version: string): Command {
  const program = new Command('bindery')
    .description('A self-hosted, Git-native documentation server')
    .version(version)
    .addHelpText(
      'after',
      `\nExit codes: ${EXIT.done} = done, ${EXIT.problems} = problems found, ${EXIT.failed} = failed`,
    )
  endOnWrongUsage(program)
  for (const declared of allCommands) {
    const [first = '', second] = declared.name.split(' ')
    const parent =
      second === undefined ? program : (program.commands.find((one) => one.name() === first) ?? group(program, first))
    addCommand(parent, second ?? first, declared)
  }
  return program
}

function group(program: Command, name: string): Command {
  const made = program.command(name).description(GROUPS[name] ?? '')
  endOnWrongUsage(made)
  return made
}

const endOnWrongUsage = (command: Command): void =>
  void command
    // Otherwise, `user` would take the options of `user list`.
    .enablePositionalOptions()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done : EXIT.failed))

function addCommand(parent: Command, name: string, declared: AnyCommand): void {
  const command = parent.command(name).description(declared.summary)
  endOnWrongUsage(command)
  for (const [parameter, one] of Object.entries(declared.parameters)) {
    if (one.kind === 'argument') command.addArgument(new Argument(`<${parameter}>`, one.description))
    else command.addOption(optionOf(parameter, one))
  }
  command.addOption(new Option('--json', 'print one JSON value'))
  command.addHelpText('after', `\nExample:\n  $ ${declared.example}`)
  command.action(async (...received: unknown[]) => {
    const values = valuesOf(declared, received.slice(0, -2), command.opts())
    await execute(declared, values, command.opts().json === true)
  })
}

function optionOf(parameter: string, one: Exclude<Parameter, { kind: 'argument' }>): Option {
  if (one.kind === 'flag') return new Option(optionName(parameter), one.description)
  const made = new Option(`${optionName(parameter)} ${one.value}`, one.description)
  if (one.kind === 'repeated option')
    return made.argParser((value: string, before: readonly string[]) => [...before, value]).default([], 'none')
  if (one.choices) made.choices(one.choices)
  if (one.fallback !== undefined) made.default(one.fallback)
  return one.kind === 'required option' ? made.makeOptionMandatory() : made
}

/** Returns the values by parameter. Flags that are absent are false. */
function valuesOf(declared: AnyCommand, positions: readonly unknown[], options: Values): Values {
  const waiting = [...positions]
  const values = Object.entries(declared.parameters).map(([name, { kind }]) => {
    if (kind === 'argument') return [name, waiting.shift()]
    return [name, kind === 'flag' ? options[name] === true : options[name]]
  })
  return Object.fromEntries(values)
}

async function runLocally(command: AnyLocalCommand, given: Values, terminal: Terminal): Promise<Outcome | null> {
  const outcome = await command.run(terminal, given)
  if (command.copies === undefined) return outcome
  const problem = await (await import('./operate.js')).noteCopy(await settings(), command, given)
  if (problem !== null) console.error(problem)
  return outcome
}

async function execute(command: AnyCommand, given: Values, json: boolean): Promise<void> {
  const terminal = openTerminal(json)
  try {
    const wrong = wrongValue(command.parameters, given)
    if (wrong !== null)
      throw new (await import('./maintenance.js')).OperatorError(`The value of ${wrong} is empty or too long.`)
    const outcome =
      'run' in command
        ? await runLocally(command, given, terminal)
        : await (await import('./operate.js')).operate(await settings(), { command, given, terminal })
    terminal.clear()
    if (outcome === null) return
    print(outcome, json)
    process.exitCode = outcome.problems ? EXIT.problems : EXIT.done
  } catch (error) {
    terminal.clear()
    const { fail } = await import('./fail.js')
    fail(error, { json })
  }
}

const settings = async () => (await import('../config.js')).loadConfig()

function print({ text, json }: Outcome, asJson: boolean): void {
  if (asJson) process.stdout.write(`${JSON.stringify(json)}\n`)
  else if (text !== '') process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** Shows progress in one line of standard error, only if a person watches. */
function openTerminal(json: boolean): Terminal & { clear(): void } {
  const { stderr } = process
  let shown = false
  return {
    json,
    tell(progress) {
      if (!stderr.isTTY || progress === '') return
      stderr.write(`\r\u001b[K${progress.slice(0, Math.max(20, stderr.columns - 1))}`)
      shown = true
    },
    clear() {
      if (shown) stderr.write('\r\u001b[K')
      shown = false
    },
  }
}
