/** The list of keyboard shortcuts, with their switch. */
import { Fragment } from 'preact'
import { changeSettings, useSettings } from '../api/settings.js'
import { singleKeys } from '../keyboard.js'
import { Dialog } from '../shell/dialog.js'
import { Switch } from '../shell/fields.js'
import { closePanel } from '../shell/panels.js'
import { words } from '../words/index.js'
import { moreWords } from '../words/more.js'

/** The keys of each shortcut, by the name of its text. */
const KEYS = {
  everywhere: { find: 'Ctrl K', list: '?', home: 'G H', waiting: 'G W', filter: '/', region: 'F6' },
  reading: { edit: 'E', history: 'H', next: 'J', previous: 'K' },
  writing: { save: 'Ctrl S', insert: '/', link: 'Ctrl L', move: 'Alt ↑', leave: 'Esc' },
  review: { nextChange: 'J', previousChange: 'K', comment: 'C', viewed: 'V', sides: '0 1 2 3', send: 'Ctrl Enter' },
} as const

export function Shortcuts() {
  const w = moreWords().shortcuts
  useSettings()
  return (
    <Dialog
      title={words().common.shortcuts}
      onClose={closePanel}
      footer={
        <Switch checked={singleKeys.value} onChange={(isOn) => void changeSettings({ singleKeys: isOn })}>
          <span>
            {w.singleKeys} <span class="muted">{w.singleKeysLead}</span>
          </span>
        </Switch>
      }
    >
      <div class="cols2">
        {(Object.keys(KEYS) as (keyof typeof KEYS)[]).map((group) => (
          <section key={group}>
            <h3 class="h">{w.groups[group]}</h3>
            <dl>
              {Object.entries(KEYS[group]).map(([name, keys]) => (
                <div key={name}>
                  <dt>{w.names[name as keyof typeof w.names]}</dt>
                  <dd>
                    {keys.split(' ').map((key) => (
                      <Fragment key={key}>
                        {' '}
                        <kbd>{key}</kbd>
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
