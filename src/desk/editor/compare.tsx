/** Shows the sides of a text: blocks in conflict with their base, or a text in this browser next to the server's. */
import { useState } from 'preact/hooks'
import { Dialog } from '../shell/dialog.js'
import { fill, words } from '../words/index.js'
import type { Writing } from './writing.js'
import { editorWords } from './words.js'

type Choice = 'mine' | 'theirs' | 'both'

/** Renders the dialog for the text that waits for a decision. */
export function Compare({ writing, onClose }: { writing: Writing; onClose: () => void }) {
  if (writing.text.pending) return <Conflicts writing={writing} onClose={onClose} />
  if (writing.copy.value) return <FoundCopy writing={writing} onClose={onClose} />
  return null
}

/** The changed part of two texts, with the lines around it. */
function differing(one: string, other: string): [string, string] {
  const [a, b] = [one.split('\n'), other.split('\n')]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let tail = 0
  while (tail < Math.min(a.length, b.length) - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const part = (lines: readonly string[]): string =>
    lines.slice(Math.max(0, start - 2), Math.min(lines.length, lines.length - tail + 2)).join('\n')
  return [part(a), part(b)]
}

function Conflicts({ writing, onClose }: { writing: Writing; onClose: () => void }) {
  const w = editorWords().compare
  const conflicts = writing.text.pending?.conflicts ?? []
  const [choices, setChoices] = useState<Choice[]>(() => conflicts.map(() => 'mine'))
  const choose = (at: number, choice: Choice): void => setChoices(choices.map((one, n) => (n === at ? choice : one)))
  const name = writing.other.value ?? editorWords().save.someone
  const finish = (): void => {
    writing.decide(choices)
    onClose()
  }
  return (
    <Dialog
      title={w.title}
      onClose={onClose}
      class="wide-dlg"
      footer={
        <>
          <span class="grow" />
          <button type="button" class="btn quiet" onClick={onClose}>
            {words().common.cancel}
          </button>
          <button type="button" class="btn primary" onClick={finish}>
            {w.finish}
          </button>
        </>
      }
    >
      <div class="stack">
        {conflicts.map(({ base, theirs, from, to }, at) => (
          <fieldset class="stack s" key={`${from} ${base}`}>
            <legend class="lab">{fill(w.block, { number: at + 1, count: conflicts.length })}</legend>
            <div class="sides">
              <Side title={w.before} text={base} />
              <Side title={w.mine} text={writing.view.state.sliceDoc(from, to)} isTaken={choices[at] !== 'theirs'} />
              <Side title={fill(w.theirs, { name })} text={theirs} isTaken={choices[at] !== 'mine'} />
            </div>
            <div class="row wrap">
              {(
                [
                  ['mine', w.useMine],
                  ['theirs', w.useTheirs],
                  ['both', w.useBoth],
                ] as const
              ).map(([choice, label]) => (
                <label class="check" key={choice}>
                  <input
                    type="radio"
                    name={`choice-${at}`}
                    checked={choices[at] === choice}
                    onChange={() => choose(at, choice)}
                  />
                  <span>{label}</span>
                </label>
              ))}
            </div>
          </fieldset>
        ))}
      </div>
    </Dialog>
  )
}

function FoundCopy({ writing, onClose }: { writing: Writing; onClose: () => void }) {
  const w = editorWords()
  const [mine, server] = differing(writing.copy.value?.text ?? '', writing.text.exact())
  const act = (run: () => void) => () => {
    run()
    onClose()
  }
  return (
    <Dialog
      title={w.compare.titleCopy}
      onClose={onClose}
      class="wide-dlg"
      footer={
        <>
          <button type="button" class="btn" onClick={act(() => writing.discardCopy())}>
            {w.save.discard}
          </button>
          <span class="grow" />
          <button type="button" class="btn primary" onClick={act(() => writing.restoreCopy())}>
            {w.save.restore}
          </button>
        </>
      }
    >
      <div class="sides two">
        <Side title={w.compare.mine} text={mine} isTaken />
        <Side title={w.compare.server} text={server} />
      </div>
    </Dialog>
  )
}

const Side = ({ title, text, isTaken = false }: { title: string; text: string; isTaken?: boolean }) => (
  <section class={isTaken ? 'taken' : ''} aria-label={title}>
    <header>
      <b>{title}</b>
    </header>
    <div class="body">
      {text === '' ? (
        <p class="muted">{editorWords().compare.empty}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable with the keyboard
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      )}
    </div>
  </section>
)
