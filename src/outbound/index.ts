// The door of what leaves the service for addresses that users name. How it is kept from private networks: addresses.ts.
export { createHttpClient, type HttpClient, type HttpClientOptions, type HttpRequest, type HttpResponse } from './http-client.js'
export { OutboundError, type OutboundFailure } from './errors.js'
