/** Writes translated segments into their units, and verifies that the page parses as intended. */
import { required } from '../../kernel/defined.js'
import { setYamlKey } from '../edit/yaml.js'
import { readEngineResponse } from './answer.js'
import { meaningOfPieces, opensAttribute, type Piece } from './pieces.js'
import type { Segment, Syntax } from './segments.js'
import { cut, joined, type Unit } from './units.js'

/** Engine responses by request (`Segment.coded`). */
type Answers = ReadonlyMap<string, string>

/** Maximum number of times that a page is parsed to find the units that cannot be used. */
const MAX_TRIALS = 40

/**
 * The translated units of a page, by index. `refused` contains units that stay unchanged because their responses cannot
 * be used.
 */
interface RenderedPage {
  cores: Map<number, string>
  refused: Set<number>
}

/** Renders the units of a page that `wanted` accepts and for which all responses are available. */
export function renderUnits(
  units: readonly Unit[],
  wanted: (index: number) => boolean,
  answers: Answers,
): RenderedPage {
  const cores = new Map<number, string>()
  const meanings = new Map<number, string>()
  const refused = new Set<number>()
  units.forEach((unit, index) => {
    if (unit.segments.length === 0 || !wanted(index) || !unit.segments.every(({ coded }) => answers.has(coded))) return
    const rendered = renderUnit(unit, answers)
    if (rendered === null) refused.add(index)
    else {
      cores.set(index, rendered.core)
      meanings.set(index, rendered.meaning)
    }
  })
  for (const index of misread(units, cores, meanings)) {
    cores.delete(index)
    refused.add(index)
  }
  return { cores, refused }
}

function renderUnit(unit: Unit, answers: Answers): { core: string; meaning: string } | null {
  let core = ''
  let at = 0
  const meanings: string[] = []
  for (const segment of unit.segments) {
    const answer = required(answers.get(segment.coded))
    const unchanged = answer === segment.coded
    const pieces = unchanged ? segment.pieces : readEngineResponse(answer, segment.codes, segment.coded)
    if (!pieces) return null
    const source = unit.core.slice(segment.start, segment.end)
    const written = unchanged
      ? source
      : segment.syntax === 'yaml'
        ? writeYaml(source, pieces)
        : writePieces(pieces, segment)
    if (written === null) return null
    core += unit.core.slice(at, segment.start) + written
    at = segment.end
    meanings.push(meaningOfPieces(pieces))
  }
  return { core: core + unit.core.slice(at), meaning: meanings.join('\n') }
}

const meaningOf = (unit: Unit): string => unit.segments.map(({ pieces }) => meaningOfPieces(pieces)).join('\n')

/**
 * Returns the translated units that do not parse as intended: only these if they can be found in time, else all of
 * them.
 */
function misread(
  units: readonly Unit[],
  cores: ReadonlyMap<number, string>,
  meanings: ReadonlyMap<number, string>,
): number[] {
  let trials = 0
  const isRead = (some: readonly number[]): boolean => {
    const put = new Set(some)
    const page = units.map(({ core, gap }, index) => ({
      core: put.has(index) ? required(cores.get(index)) : core,
      gap,
    }))
    const reparsed = cut(joined(page)).units
    if (reparsed.length !== units.length) return false
    return reparsed.every((unit, index) => {
      if (put.has(index)) return unit.core === cores.get(index) && meaningOf(unit) === meanings.get(index)
      return unit.core === units[index]?.core && meaningOf(unit) === meaningOf(units[index])
    })
  }
  const find = (some: readonly number[]): number[] => {
    if (some.length === 0) return []
    if (++trials > MAX_TRIALS) return [...some]
    if (isRead(some)) return []
    if (some.length === 1) return [...some]
    const half = some.length >> 1
    return [...find(some.slice(0, half)), ...find(some.slice(half))]
  }
  const found = find([...cores.keys()])
  const rest = [...cores.keys()].filter((index) => !found.includes(index))
  // Two units that parse correctly alone may not do so together.
  return found.length > 0 && rest.length > 0 && !isRead(rest) ? [...cores.keys()] : found
}

function writeYaml(lines: string, pieces: readonly Piece[]): string | null {
  const key = /^["']?([A-Za-z]+)/.exec(lines)?.[1]
  if (key === undefined) return null
  const value = pieces
    .map((piece) => (piece.type === 'text' ? piece.value : piece.type === 'atom' ? piece.raw : ''))
    .join('')
  try {
    return setYamlKey(`${lines}\n`, [key], value).replace(/\r?\n$/, '')
  } catch {
    return null
  }
}

/** Writes pieces as source, with text escaped so that nothing in it is markup. */
function writePieces(pieces: readonly Piece[], { syntax, first }: Pick<Segment, 'syntax' | 'first'>): string {
  const written = pieces
    .map((piece): string => {
      if (piece.type === 'atom') return piece.raw
      if (piece.type === 'pair')
        return (
          piece.open +
          writePieces(piece.children, { syntax: opensAttribute(piece.open) ? 'attribute' : syntax, first: false }) +
          piece.close
        )
      return escapeText(piece.value, syntax)
    })
    .join('')
  return first && syntax === 'markdown' && pieces[0]?.type === 'text' ? escapeStart(written) : written
}

function escapeText(text: string, syntax: Syntax): string {
  if (syntax === 'tag') return text.replace(/["\\]/g, '\\$&')
  if (syntax === 'html' || syntax === 'attribute') {
    const escaped = text
      .replace(/&(?=#|\w+;)/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
    return syntax === 'attribute' ? escaped.replace(/"/g, '&quot;') : escaped
  }
  const escaped = text
    .replace(/[\\`*[\]<]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#|\w+;)/g, '\\&')
    .replace(/\{(?=[{%])/g, '\\{')
    .replace(/\$(?=\$)|(?<=\$)\$|~(?=~)|(?<=~)~/g, '\\$&')
  return syntax === 'cell' ? escaped.replace(/\|/g, '\\|') : escaped
}

/** Escapes characters that would start a list, quote, heading, fence or rule. */
const escapeStart = (text: string): string =>
  text.replace(/^(\d{1,9})(?=[.)](?:\s|$))/, '$1\\').replace(/^(?=[#>+\-~=:|])/, '\\')
