// The script of published sites. Everything can be read and reached without it.
import { startCopy } from './copy.js'
import { startFeedback } from './feedback.js'
import { startMedia } from './media.js'
import { startNavigation } from './navigation.js'
import { startPrint } from './print.js'
import { startSearch } from './search.js'
import { startTabs } from './tabs.js'
import { startTheme } from './theme.js'

// One part that fails must not stop the others.
for (const start of [
  startTabs,
  startTheme,
  startSearch,
  startNavigation,
  startCopy,
  startMedia,
  startFeedback,
  startPrint,
]) {
  try {
    start()
  } catch (error) {
    console.error(error)
  }
}
