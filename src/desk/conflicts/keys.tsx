/** The keyboard shortcuts for conflicts, and the bar that lists them. */
import { useLayoutEffect } from 'preact/hooks'
import { singleKeys, useKey } from '../keyboard.js'
import { Switch } from '../shell/fields.js'
import type { Choice } from './decisions.js'
import { sideName } from './names.js'
import { conflictWords } from './words.js'

/** The actions of the keys. */
export interface ConflictActions {
  take(choice: Exclude<Choice, object>): void
  editCurrent(): void
  undo(): void
  go(by: 1 | -1): void
  finish(): Promise<void>
}

/** Connects the keys 0 to 3, E, U, J, K and Ctrl+Enter while a component is mounted. */
export function useConflictKeys(actions: ConflictActions): void {
  useKey('0', () => actions.take('base'))
  useKey('1', () => actions.take('main'))
  useKey('2', () => actions.take('change-request'))
  useKey('3', () => actions.take('both'))
  useKey('e', () => actions.editCurrent())
  useKey('u', () => actions.undo())
  useKey('j', () => actions.go(1))
  useKey('k', () => actions.go(-1))
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing || event.defaultPrevented)
        return
      event.preventDefault()
      void actions.finish()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [actions])
}

/** The bar with the keys. */
export function ConflictKeys({ host, isWaiting }: { host: string | undefined; isWaiting: boolean }) {
  const w = conflictWords()
  const { keys } = w
  const shown: [string[], string][] = [
    [['J', 'K'], keys.next],
    [['0'], keys.before],
    [['1'], sideName('main', host)],
    [['2'], sideName('change-request', host)],
    [['3'], keys.both],
    [['E'], keys.write],
    [['U'], keys.undo],
    [['Ctrl Enter'], keys.finish],
  ]
  return (
    <section class="keys" aria-label={w.keysLabel}>
      {shown.map(([names, text]) => (
        <span key={text}>
          {names.map((name) => (
            <kbd key={name}>{name}</kbd>
          ))}{' '}
          {text}
        </span>
      ))}
      <span class="grow">{isWaiting && w.keysWait}</span>
      <Switch checked={singleKeys.value} onChange={(isOn) => void (singleKeys.value = isOn)}>
        {w.singleKeys}
      </Switch>
    </section>
  )
}
