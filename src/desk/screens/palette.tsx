/** The command box. */
import { Dialog } from '../shell/dialog.js'
import { closePanel } from '../shell/panels.js'
import { words } from '../words/index.js'

/** The dialog. */
export const Palette = () => (
  <Dialog title={words().common.find} onClose={closePanel}>
    <div />
  </Dialog>
)
