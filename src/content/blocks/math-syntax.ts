import type { Code, Construct, State, TokenizeContext } from 'micromark-util-types'

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

/** Inline math, `$$…$$`; it may run over line ends, not over blank lines. */
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

/** `$$` on a line of its own up to the next such line. On `lastFence` or below it is text: a stray `$$` must not swallow the page. */
export const mathFlow = (lastFence: number): Construct => ({
  name: 'mathFlow',
  concrete: true,
  tokenize(effects, ok, nok) {
    const fence =
      (yes: State, no: State): State =>
      (code) => {
        let size = 0
        const more: State = (next) => {
          if (next === DOLLAR && size < 2) {
            size++
            effects.consume(next)
            return more
          }
          return size === 2 ? rest(next) : no(next)
        }
        const rest: State = (next) => {
          if (isSpace(next)) {
            effects.consume(next)
            return rest
          }
          return next === null || isEol(next) ? yes(next) : no(next)
        }
        return more(code)
      }
    const closeFence: Construct = {
      partial: true,
      tokenize(inner, yes, no) {
        inner.enter('mathChunk')
        const leave: State = (code) => {
          inner.exit('mathChunk')
          return yes(code)
        }
        const indent: State = (code) => {
          if (!isSpace(code)) return fence(leave, no)(code)
          inner.consume(code)
          return indent
        }
        return indent
      },
    }
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
    const lineStart: State = (code) => effects.attempt(closeFence, finish, line)(code)
    const newLine: State = (code) => {
      effects.enter('lineEnding')
      effects.consume(code)
      effects.exit('lineEnding')
      return lineStart
    }
    const lineEnd: State = (code) => (code === null ? finish(code) : effects.check(nonLazyLine(this), newLine, finish)(code))
    return (code) => {
      if (this.now().line >= lastFence) return nok(code)
      effects.enter('mathFlow')
      effects.enter('mathChunk')
      return fence((next) => {
        effects.exit('mathChunk')
        return this.interrupt ? ok(next) : lineEnd(next)
      }, nok)(code)
    }
  },
})

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
