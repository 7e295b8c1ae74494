/** Syntax extensions of micromark: `{% … %}` tags, `{{ … }}` expressions, math, and HTML that ends before tags. */
import { htmlFlow } from 'micromark-core-commonmark'
import type { Construct, Effects, Extension, State } from 'micromark-util-types'
import { isEol, isSpace, mathFlow, mathText } from './math-syntax.js'
import { isKnownTag } from './tags.js'

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    tagLine: 'tagLine'
    tag: 'tag'
    templateExpression: 'templateExpression'
  }
}

const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const PERCENT = 37

/**
 * Matches `{% … %}` (second = `%`) or `{{ … }}` (second = `{`) on one line. It cannot contain another opening, so that
 * `{% {% {%` takes linear time. The attributes of a tag may contain expressions.
 */
function delimited(effects: Effects, second: number, type: 'tag' | 'templateExpression', ok: State, nok: State): State {
  const last = second === PERCENT ? PERCENT : CLOSE_BRACE
  const inside: State = (code) => {
    if (code === null || isEol(code)) return nok(code)
    effects.consume(code)
    return code === last ? closing : code === OPEN_BRACE ? nested : inside
  }
  const nested: State = (code) =>
    code === PERCENT || (code === OPEN_BRACE && second === OPEN_BRACE) ? nok(code) : inside(code)
  const closing: State = (code) => {
    if (code !== CLOSE_BRACE) return inside(code)
    effects.consume(code)
    effects.exit(type)
    return ok
  }
  return (code) => {
    effects.enter(type)
    effects.consume(code)
    return (next) => {
      if (next !== second) return nok(next)
      effects.consume(next)
      return inside
    }
  }
}

/** A line that contains only tags. It may interrupt a paragraph, a table and (through `htmlBeforeTags`) HTML. */
const tagLine: Construct = {
  name: 'tagLine',
  tokenize(effects, ok, nok) {
    const space: State = (code) => {
      if (!isSpace(code)) {
        effects.exit('whitespace')
        return after(code)
      }
      effects.consume(code)
      return space
    }
    const after: State = (code) => {
      if (code === null || isEol(code)) {
        effects.exit('tagLine')
        return ok(code)
      }
      if (isSpace(code)) {
        effects.enter('whitespace')
        return space(code)
      }
      return code === OPEN_BRACE ? delimited(effects, PERCENT, 'tag', after, nok)(code) : nok(code)
    }
    return (code) => {
      effects.enter('tagLine')
      return after(code)
    }
  },
}

const tagText: Construct = {
  name: 'tagText',
  tokenize: (effects, ok, nok) => delimited(effects, PERCENT, 'tag', ok, nok),
}
const templateText: Construct = {
  name: 'templateText',
  tokenize: (effects, ok, nok) => delimited(effects, OPEN_BRACE, 'templateExpression', ok, nok),
}

/** Matches a line end if the next line starts with a known tag. */
const knownTagBelow: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    let word = ''
    const name: State = (code) => {
      if (word.length < 60 && code !== null && code > 32 && code !== PERCENT) {
        word += String.fromCharCode(code)
        effects.consume(code)
        return name
      }
      return isKnownTag(word) ? ok(code) : nok(code)
    }
    const gap: State = (code) => {
      if (!isSpace(code)) return name(code)
      effects.consume(code)
      return gap
    }
    const percent: State = (code) => {
      if (code !== PERCENT) return nok(code)
      effects.consume(code)
      return gap
    }
    const brace: State = (code) => {
      if (isSpace(code)) {
        effects.consume(code)
        return brace
      }
      if (code !== OPEN_BRACE) return nok(code)
      effects.consume(code)
      return percent
    }
    return (code) => {
      effects.enter('lineEnding')
      effects.consume(code)
      effects.exit('lineEnding')
      effects.enter('tagLine')
      return (next) => brace(next)
    }
  },
}

/**
 * HTML blocks as in CommonMark, except that a line with a known tag also ends them, because authors write `</figure>`
 * and `{% endtab %}` on adjacent lines. This applies only to HTML blocks that end at a blank line.
 */
const htmlBeforeTags: Construct = {
  ...htmlFlow,
  tokenize(effects, ok, nok) {
    const check: Effects['check'] = (construct, yes, no) => {
      if (!isBlankLineBefore(construct)) return effects.check(construct, yes, no)
      return effects.check(knownTagBelow, yes, effects.check(construct, yes, no))
    }
    return htmlFlow.tokenize.call(this, { ...effects, check }, ok, nok)
  },
}

const isBlankLineBefore = (construct: Parameters<Effects['check']>[0]): boolean =>
  'tokenize' in construct &&
  typeof construct.tokenize === 'function' &&
  construct.tokenize.name === 'tokenizeBlankLineBefore'

/**
 * The syntax in addition to CommonMark and GFM. `off` contains the names of constructs to disable; `lastFence` is the
 * last line that contains only `$$`.
 */
export function blockSyntax(off: readonly string[], lastFence: number): Extension {
  return {
    disable: { null: [...off] },
    flow: { [OPEN_BRACE]: tagLine, 36: mathFlow(lastFence), 60: htmlBeforeTags },
    text: { [OPEN_BRACE]: [tagText, templateText], 36: mathText },
  }
}
