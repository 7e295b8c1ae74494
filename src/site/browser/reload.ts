// Loads the page again after a change, in the local preview of a folder.
let connected = false
const events = new EventSource('/~reload/events')
events.onmessage = () => location.reload()
// The preview was started again. Its content may have changed in between.
events.onopen = () => {
  if (connected) location.reload()
  connected = true
}
export {}
