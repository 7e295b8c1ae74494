/** Starts the app. */
import { render } from 'preact'
import './style/main.css'
import { loadSession } from './api/session.js'
import { App } from './app.js'
import { listenToKeys } from './keyboard.js'
import { followLinks } from './route.js'
import { loadWords } from './words/index.js'

followLinks()
listenToKeys()
// Without a session, the app asks the user to sign in and states the reason.
await Promise.all([loadWords(), loadSession().catch(() => {})])
const root = document.getElementById('app')
if (root) render(<App />, root)
