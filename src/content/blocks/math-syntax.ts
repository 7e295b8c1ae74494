/** The math syntax as extensions of micromark. */
import type { Code, Construct, Effects, State, TokenizeContext } from 'micromark-util-types'

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    mathText: 'mathText'
    mathFlow: 'mathFlow'
    mathChunk: 'mathChunk'
  }
}

const DOLLAR = 36

export const isEol = (code: Code): boolean => code !== null && code < -2
export const isSpace = (code: Code): boolean => code === -2 || code === -1 || code === 32

/** Inline math, `$$…$$`. It may contain line ends, but no blank lines. */
export const mathText: Construct = {
  name: 'mathText',
  tokenize(effects, ok, nok) {
    let size = 0
    let length = 0
    const begin: State = (code) => {
      if (code === DOLLAR && size < 2) {
        size++
        effects.consume(code)
        return begin
      }
      return size < 2 ? nok(code) : inside(code)
    }
    const inside: State = (code) => {
      if (code === null) return nok(code)
      if (isEol(code)) {
        effects.exit('mathChunk')
        effects.enter('lineEnding')
        effects.consume(code)
        effects.exit('lineEnding')
        effects.enter('mathChunk')
        return inside
      }
      effects.consume(code)
      if (code === DOLLAR) return end
      length++
      return inside
    }
    const end: State = (code) => {
      if (code !== DOLLAR) return inside(code)
      if (length === 0) return nok(code)
      effects.consume(code)
      effects.exit('mathChunk')
      effects.exit('mathText')
      return ok
    }
    return (code) => {
      effects.enter('mathText')
      effects.enter('mathChunk')
      return begin(code)
    }
  },
}

/** Matches `$$` and white space up to the end of the line. */
const mathFence = (effects: Effects, ok: State, nok: State): State => {
  let size = 0
  const dollars: State = (code) => {
    if (code === DOLLAR && size < 2) {
      size++
      effects.consume(code)
      return dollars
    }
    return size === 2 ? rest(code) : nok(code)
  }
  const rest: State = (code) => {
    if (isSpace(code)) {
      effects.consume(code)
      return rest
    }
    return code === null || isEol(code) ? ok(code) : nok(code)
  }
  return dollars
}

const closingFence: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    effects.enter('mathChunk')
    const leave: State = (code) => {
      effects.exit('mathChunk')
      return ok(code)
    }
    const indent: State = (code) => {
      if (!isSpace(code)) return mathFence(effects, leave, nok)(code)
      effects.consume(code)
      return indent
    }
    return indent
  },
}

/**
 * A formula between two lines that contain only `$$`. At or below line `lastFence`, the last such line, `$$` is text:
 * an unclosed fence must not include the rest of the page.
 */
export const mathFlow = (lastFence: number): Construct => ({
  name: 'mathFlow',
  concrete: true,
  tokenize(effects, ok, nok) {
    const finish: State = (code) => {
      effects.exit('mathFlow')
      return ok(code)
    }
    const content: State = (code) => {
      if (code === null || isEol(code)) {
        effects.exit('mathChunk')
        return lineEnd(code)
      }
      effects.consume(code)
      return content
    }
    const line: State = (code) => {
      if (code === null || isEol(code)) return lineEnd(code)
      effects.enter('mathChunk')
      return content(code)
    }
    const lineStart: State = (code) => effects.attempt(closingFence, finish, line)(code)
    const newLine: State = (code) => {
      effects.enter('lineEnding')
      effects.consume(code)
      effects.exit('lineEnding')
      return lineStart
    }
    const lineEnd: State = (code) =>
      code === null ? finish(code) : effects.check(nonLazyLine(this), newLine, finish)(code)
    const opened: State = (code) => {
      effects.exit('mathChunk')
      return this.interrupt ? ok(code) : lineEnd(code)
    }
    return (code) => {
      if (this.now().line >= lastFence) return nok(code)
      effects.enter('mathFlow')
      effects.enter('mathChunk')
      return mathFence(effects, opened, nok)(code)
    }
  },
})

/** Matches a line end whose next line is in the same container. */
function nonLazyLine(self: TokenizeContext): Construct {
  return {
    partial: true,
    tokenize(effects, ok, nok) {
      return (code) => {
        if (code === null) return nok(code)
        effects.enter('lineEnding')
        effects.consume(code)
        effects.exit('lineEnding')
        return (next) => (self.parser.lazy[self.now().line] ? nok(next) : ok(next))
      }
    },
  }
}
