declare module 'core-js/actual/structured-clone'
declare module 'core-js/web/url'
declare module 'core-js/web/url-search-params'
