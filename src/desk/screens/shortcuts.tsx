/** The list of keyboard shortcuts, with their switch. */
import { Dialog } from '../shell/dialog.js'
import { closePanel } from '../shell/panels.js'
import { words } from '../words/index.js'

/** The dialog. */
export const Shortcuts = () => (
  <Dialog title={words().common.shortcuts} onClose={closePanel}>
    <div class="cols2" />
  </Dialog>
)
