/** Scans markdown with micromark, which returns the range of every token. */
import { parse, postprocess, preprocess } from 'micromark'
import { gfm } from 'micromark-extension-gfm'
import type { ParseContext } from 'micromark-util-types'
import type { ReferenceKind, TargetEncoding } from '../reference.js'
import type { ScannedMarkdown, Span, Target } from './scanned.js'

/** The parser for all texts. Combining the syntaxes takes as long as reading a short text. */
const parser: ParseContext & { gfmFootnotes?: string[] } = parse({ extensions: [gfm()] })

/** Resets the parser, so that it contains nothing of the previous text. */
function resetParser(): ParseContext {
  parser.defined = []
  parser.lazy = {}
  delete parser.gfmFootnotes
  return parser
}

/** Code tokens, which contain no references. */
const CODE = new Set(['codeFenced', 'codeIndented', 'codeText'])

/**
 * Scans the window of a page that starts at `offset`. Returns null if something is still open at its end: then the
 * sentinel was not parsed as a separate paragraph.
 */
export function scanExactly(text: string, offset: number, sentinel: string): ScannedMarkdown | null {
  // micromark drops a byte order mark and counts offsets from after it.
  const shift = offset + (text.startsWith('\ufeff') ? 1 : 0)
  const code: Span[] = []
  const html: Span[] = []
  const targets: Target[] = []
  const add = (...target: Target): void => void targets.push(target)
  let whole = sentinel === ''
  /** The open links and images, innermost last. */
  const open: Array<{ kind: ReferenceKind; target: Span | null; encoding: TargetEncoding }> = []
  for (const [step, token] of postprocess(
    resetParser()
      .document()
      .write(preprocess()(text + sentinel, undefined, true)),
  )) {
    const span: Span = [token.start.offset + shift, token.end.offset + shift]
    const type: string = token.type
    if (type === 'paragraph' && span[0] === offset + text.length) whole = true
    if (step === 'exit') {
      const last = type === 'link' || type === 'image' || type === 'definition' ? open.pop() : undefined
      if (last?.target) add(last.kind, last.target[0], last.target[1], last.encoding)
      continue
    }
    const current = open.at(-1)
    if (type === 'link' || type === 'image' || type === 'definition')
      open.push({ kind: type, target: null, encoding: 'markdown' })
    else if (type === 'resourceDestinationLiteral' || type === 'definitionDestinationLiteral') {
      // `<>` has no string token.
      if (current) Object.assign(current, { encoding: 'markdown-angle', target: [span[0] + 1, span[1] - 1] })
    } else if (type === 'resourceDestinationString' || type === 'definitionDestinationString') {
      if (current) current.target = span
    } else if (type === 'resourceTitleString') {
      if (
        current?.kind === 'link' &&
        text.slice(token.start.offset + shift - offset, token.end.offset + shift - offset) === 'mention'
      )
        current.kind = 'mention'
    } else if (type === 'autolinkProtocol' || type === 'autolinkEmail' || type === 'literalAutolink')
      add('autolink', ...span, 'literal')
    else if (CODE.has(type)) code.push(span)
    else if (type === 'htmlFlow' || type === 'htmlText') html.push(span)
  }
  return whole ? { targets, code, html } : null
}
