#undef assert
#ifdef __cplusplus
extern "C" {
#endif
void redraft_KEY_passed(void);
void redraft_KEY_failed(const char *, const char *, int);
#ifdef __cplusplus
}
#elif !defined(static_assert)
#define static_assert _Static_assert
#endif
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? redraft_KEY_passed() : redraft_KEY_failed(#__VA_ARGS__, __FILE__, __LINE__))
#endif
