/** The output formats of `bindery check`. docs/preview-and-check.md documents them. */
import { defined } from '../kernel/defined.js'
import type { Findings, Problem } from './find-problems.js'

export const FORMATS = ['text', 'json', 'sarif', 'github'] as const
export type Format = (typeof FORMATS)[number]
export const isFormat = (text: string): text is Format => FORMATS.some((one) => one === text)

/** The findings of a check, and sentences about files that were left out. */
export interface CheckResult extends Findings {
  leftOut: readonly string[]
}

/** Returns the output for a format. `version` is the version of the product. */
export function print(format: Format, result: CheckResult, version: string): string {
  return PRINTERS[format](result, version)
}

const countOf = (problems: readonly Problem[], level: Problem['level']): number =>
  problems.filter((one) => one.level === level).length

function asText(result: CheckResult): string {
  const { problems, pages } = result
  const lines = problems.map((one) => `${placeOf(one)}${one.level}: ${visible(one.message)} [${one.code}]`)
  const [errors, notes] = [countOf(problems, 'error'), countOf(problems, 'note')]
  const summary = `${counted(pages, 'page')} checked: ${counted(errors, 'problem')}, ${counted(notes, 'note')}.`
  return `${[...lines, ...remarks(result).map(visible), summary].join('\n')}\n`
}

const counted = (count: number, noun: string): string =>
  count === 0 ? `no ${noun}s` : `${count} ${noun}${count === 1 ? '' : 's'}`

function placeOf({ file, line, column }: Problem): string {
  const parts = [file === undefined ? undefined : visible(file), line, column].filter((part) => part !== undefined)
  return file === undefined ? '' : `${parts.join(':')}: `
}

/** Sentences about parts that were not checked. */
const remarks = ({ leftOut, specifications }: CheckResult): string[] => [
  ...leftOut,
  ...(specifications === 0
    ? []
    : [`${counted(specifications, 'reference')} to OpenAPI specifications cannot be checked without a server.`]),
]

/** Replaces control characters, which a terminal would execute. */
const visible = (text: string): string => text.replaceAll(/[\0-\x1f\x7f-\x9f]/g, '\ufffd')

function asJson(result: CheckResult): string {
  const { problems, pages } = result
  const counts = { pages, errors: countOf(problems, 'error'), notes: countOf(problems, 'note') }
  return `${JSON.stringify({ version: 1, counts, problems, remarks: remarks(result) }, null, 2)}\n`
}

/** Maximum number of results in a SARIF file. GitHub rejects files with more than 25,000. */
const MAX_SARIF_RESULTS = 25_000

function asSarif(result: CheckResult, version: string): string {
  // GitHub rejects results without a location.
  const problems = result.problems.filter(({ file }) => file !== undefined)
  const others = [
    ...result.problems.filter(({ file }) => file === undefined).map(({ level, message }) => ({ level, message })),
    ...remarks(result).map((message) => ({ level: 'note', message })),
  ]
  const codes = [...new Set(problems.map(({ code }) => code))].sort()
  const run = {
    tool: {
      driver: {
        name: 'Bindery',
        version,
        rules: codes.map((id) => ({ id, shortDescription: { text: titleOf(id) } })),
      },
    },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: true,
        toolExecutionNotifications: others.map(({ level, message }) => ({ level, message: { text: message } })),
      },
    ],
    results: problems.slice(0, MAX_SARIF_RESULTS).map((one) => ({
      ruleId: one.code,
      ruleIndex: codes.indexOf(one.code),
      level: one.level,
      message: { text: one.message },
      locations: [locationOf(one, one.file as string)],
    })),
  }
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json'
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2)}\n`
}

const locationOf = ({ line, column }: Problem, file: string) => ({
  physicalLocation: {
    artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' },
    ...(line === undefined ? {} : { region: { startLine: line, ...defined({ startColumn: column }) } }),
  },
})

/** Returns a title for a code: `broken-link` becomes `Broken link`. */
const titleOf = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' ')

function asGithub(result: CheckResult): string {
  const annotations = result.problems.map(({ level, code, message, file, line, column }) => {
    const properties = Object.entries(defined({ file, line, col: column, title: titleOf(code) }))
      .map(([name, value]) => `${name}=${escapedProperty(String(value))}`)
      .join(',')
    return `::${level === 'error' ? 'error' : 'notice'} ${properties}::${escapedData(message)}`
  })
  const plain = remarks(result).map((one) => `::notice::${escapedData(one)}`)
  return [...annotations, ...plain].map((line) => `${line}\n`).join('')
}

/** Escapes a message of a workflow command, so that it cannot contain another command. */
const escapedData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapedProperty = (text: string): string => escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

const PRINTERS: Record<Format, (result: CheckResult, version: string) => string> = {
  text: asText,
  json: asJson,
  sarif: asSarif,
  github: asGithub,
}
