/* What is hidden in command lines, and what must stay readable. */
#include "unit.h"

#include <string.h>
#include <time.h>

#include "base/secret.h"

static struct arena arena;

struct example {
    const char *text, *shown; /* NULL: unchanged */
};

static void check(const struct example *v, size_t n)
{
    arena_init(&arena);
    for (size_t i = 0; i < n; i++) {
        size_t hidden, again;
        const char *shown = secret_mask(v[i].text, &arena, &hidden);
        assert_string_equal(shown, v[i].shown ? v[i].shown : v[i].text);
        assert_int_equal(hidden > 0, v[i].shown != NULL);
        assert_ptr_equal(secret_mask(shown, &arena, &again), shown);
        assert_int_equal(again, 0);
    }
    arena_release(&arena);
}

static void secrets_are_hidden(void **state)
{
    (void)state;
    static const struct example v[] = {
        {"./app --password=hunter2", "./app --password=***"},
        {"./app --token abc --steps 3", "./app --token *** --steps 3"},
        {"./app -token abc", "./app -token ***"},
        {"app --api-key k1 --db_passwd p2", "app --api-key *** --db_passwd ***"},
        {"app --apiKey=k1 x", "app --apiKey=*** x"},
        {"app --hf-token 'a b' -v", "app --hf-token '***' -v"},
        {"HF_TOKEN=abc AWS_SECRET_ACCESS_KEY=x/y+z python t.py",
         "HF_TOKEN=*** AWS_SECRET_ACCESS_KEY=*** python t.py"},
        {"env PGPASSWORD=x psql", "env PGPASSWORD=*** psql"},
        {"curl -H 'Authorization: Bearer abc.def' http://h/x",
         "curl -H 'Authorization: Bearer ***' http://h/x"},
        {"curl -H Authorization: Bearer abc http://h/x",
         "curl -H Authorization: Bearer *** http://h/x"},
        {"curl -H X-Api-Key:abc http://h", "curl -H X-Api-Key:*** http://h"},
        {"curl -u me:pw http://h", "curl -u me:*** http://h"},
        {"curl --user me:pw:2", "curl --user me:***"},
        {"git clone https://me:pw@host/x", "git clone https://me:***@host/x"},
        {"git clone https://abc@host/x", "git clone https://***@host/x"},
        {"psql postgres://u:p@ss@h/db", "psql postgres://u:***@h/db"},
        {"get http://h/p?a=1&token=abc&b=2", "get http://h/p?a=1&token=***&b=2"},
        {"app {\"user\":\"u\",\"password\":\"p\",\"n\":3}",
         "app {\"user\":\"u\",\"password\":\"***\",\"n\":3}"},
        {"app {\"token\": \"abc\"}", "app {\"token\": \"***\"}"},
        {"app --auth s --credentials=c --secret s2",
         "app --auth *** --credentials=*** --secret ***"},
        {"app --key Zm9v", "app --key ***"},
        {"login ghp_0123456789abcdefghij0", "login ***"},
        {"app --password=a'b", "app --password=***"},
        {"sh -c 'TOKEN=abc run'", "sh -c 'TOKEN=*** run'"},
        {"sh -c \"export API_KEY=abc\"", "sh -c \"export API_KEY=***\""},
        {"app --token-value abc", "app --token-value ***"},
        {"mysql -u me -phunter2 db", "mysql -u me -p*** db"},
        {"/usr/bin/mysqldump '-x' -p'a b' db", "/usr/bin/mysqldump '-x' -p'***' db"},
        {"sshpass -p hunter2 ssh host", "sshpass -p *** ssh host"},
        {"docker login -u me -p hunter2 host", "docker login -u me -p *** host"},
        {"redis-cli -a hunter2 get x", "redis-cli -a *** get x"},
        {"AWS_ACCESS_KEY_ID=AKIAX run", "AWS_ACCESS_KEY_ID=*** run"},
        {"app --aws-access-key-id AKIAX", "app --aws-access-key-id ***"},
        {"PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"},
        {"curl -u user:pass http://h", "curl -u user:*** http://h"},
        {"curl --header 'X-Api-Key: hunter2' h", "curl --header 'X-Api-Key: ***' h"},
        {"app '--password' 'hunter2'", "app '--password' '***'"},
        {"[\"app\", \"--token\", \"hunter2\", \"-v\"]", "[\"app\", \"--token\", \"***\", \"-v\"]"},
        {"app {\\\"password\\\": \\\"hunter2\\\"}", "app {\\\"password\\\": \\\"***\\\"}"},
        {"app --password=\"a\\\"hunter2\" x", "app --password=\"***\" x"},
        {"app --password='a'\\''hunter2' x", "app --password=*** x"},
        {"app --password=a\\ hunter2 x", "app --password=*** x"},
        {"curl -H Authorization:\\ Bearer\\ hunter2 h", "curl -H Authorization:*** h"},
        {"curl -H 'Cookie: a=b; id=hunter2' h", "curl -H 'Cookie: ***' h"},
        {"curl -H 'Authorization: Digest u=\"a\", r=\"hunter2\"' h",
         "curl -H 'Authorization: Digest ***' h"},
        {"curl -ume:hunter2 -b s=hunter2 h", "curl -ume:*** -b *** h"},
        {"password = hunter2, user => x, secret => 'y'",
         "password = ***, user => x, secret => '***'"},
        {"aws configure set aws_secret_access_key hunter2",
         "aws configure set aws_secret_access_key ***"},
        {"nmcli connect x password hunter2", "nmcli connect x password ***"},
        {"SSHPASS=hunter2 DB_PW=hunter2 app --dbpass hunter2",
         "SSHPASS=*** DB_PW=*** app --dbpass ***"},
        {"SECRET_KEY_BASE=hunter2 app --creds x --jwt y",
         "SECRET_KEY_BASE=*** app --creds *** --jwt ***"},
        {"app --api-keys=a,b --secrets=c --authkey d --secret-id=e",
         "app --api-keys=*** --secrets=*** --authkey *** --secret-id=***"},
        {"get 'https://h/x?X-Amz-Signature=hunter2&b=1'",
         "get 'https://h/x?X-Amz-Signature=***&b=1'"},
        {"ssh -x me:hunter2@host", "ssh -x me:***@host"},
        {"app --proxy=me:hunter2@host:3128", "app --proxy=me:***@host:3128"},
        {"git clone https://ghp_0123456789abcdefghij0:x@host/y",
         "git clone https://***:***@host/y"},
        {"app ya29.0123456789abcdefghij eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", "app *** ***"},
        {"echo '-----BEGIN RSA PRIVATE KEY----- a b -----END RSA PRIVATE KEY-----'",
         "echo '-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----'"},
        {"app --password -S3cretX1 --token -aB3dE", "app --password *** --token ***"},
        {"app --tokens=hunter2x --pin 4839 CARD_PIN=483920",
         "app --tokens=*** --pin *** CARD_PIN=***"},
        {"app --pass-word a --pass_phrase b --seed-phrase 'c d' --mfa-code 12",
         "app --pass-word *** --pass_phrase *** --seed-phrase '***' --mfa-code ***"},
        {"app --psk a --pswd b --oauth c --encryptionkey=hunter2 GOOGLE_CREDENTIALS_JSON={}",
         "app --psk *** --pswd *** --oauth *** --encryptionkey=*** GOOGLE_CREDENTIALS_JSON=***"},
        {"GITHUB_PAT=0123456789abcdefABCD app --keys=0123456789abcdefABCD",
         "GITHUB_PAT=*** app --keys=***"},
        {"app --slack https://hooks.slack.com/services/T0/B0/x -v",
         "app --slack https://hooks.slack.com/services/*** -v"},
        {"python -c \"os.environ['HF_TOKEN']='x'; e[\\\"KEY\\\"] = \\\"yy\\\"\"",
         "python -c \"os.environ['HF_TOKEN']='***'; e[\\\"KEY\\\"] = \\\"***\\\"\""},
        {"app <password>hunter2</password>", "app <password>***</password>"},
        {"ipmitool -U me -P hunter2 x; unrar x -phunter2 a",
         "ipmitool -U me -P *** x; unrar x -p*** a"},
        {"app --password", NULL},
        {"app --password ''", NULL},
    };
    check(v, ARRAY_LEN(v));
}

static void other_words_stay(void **state)
{
    (void)state;
    static const struct example v[] = {
        {"", NULL},
        {"./app --steps 100", NULL},
        {"./app --key-size 4 --keyboard us --key 4", NULL},
        {"./app --tokens 2048 --max-tokens 512 --max_tokens=512 --tokenizer gpt2", NULL},
        {"./app --num-token 5 --eos-token </s> --pad_token=<pad> --stop-token x", NULL},
        {"./app --sort-key name --public-key k.pub --group_key=a", NULL},
        {"./app --password-file /run/pw --token-limit 7 --secret-dir d", NULL},
        {"./app --author me --authors=a,b --monkey 3 --passes 4 --pass 2", NULL},
        {"./app --use-auth-token train.py", NULL},
        {"./app --token --verbose", NULL},
        {"./app --auth=none --use_auth=true", NULL},
        {"singularity exec --pwd /work x", NULL},
        {"ssh://git@host/x http://host:8080/a?page=2 user@host", NULL},
        {"python -u train.py -u 3", NULL},
        {"./app -p8080 -pthread -p 3 -a x", NULL},
        {"mysql -p db; ./app -p8080", NULL},
        {"mysql -u me | ./app -p8080", NULL},
        {"./app --token-id 50256 --key-id 7", NULL},
        {"./hf_transformer_layers sk-learn", NULL},
        {"./keys secretary broken_tokens", NULL},
        {"./app --bypass x --compass y --keys a,b --image a:b@sha256:0f", NULL},
        {"[\"app\", \"--use-token\", \"--verbose\", \"--token\", \"--x\"]", NULL},
        {"HF_TOKEN= python train.py", NULL},
        {"mailto:me@host rank:0@node npm_config_cache_0123456789=x", NULL},
        {"./app --password -v -host x --token -np 4", NULL},
        {"./app --tokens 2k --tokens=1e9 --tokens 1,024 --tokens t/x2.bin --tokens all", NULL},
        {"./app --pin numa --pin 0-7 --pin=on --pin 16 --pin 0,1,2,3 --pin_memory 1024", NULL},
        {"./app --license Apache-2.0 --api v2 --pat 'a*b' --input-tokens abc1234", NULL},
        {"get https://slack.com/services/x https://hooks.slack.com/", NULL},
        {"PWD=/home/me -----BEGIN PUBLIC KEY----- a", NULL},
    };
    check(v, ARRAY_LEN(v));
}

/* The least of three runs over a text of this size, in ticks. */
static clock_t ticks(const char *unit, size_t size)
{
    clock_t least = 0;
    arena_init(&arena);
    char *text = arena_alloc(&arena, size + 1);
    for (size_t at = 0, n = strlen(unit); at < size; at++)
        text[at] = unit[at % n];
    for (int i = 0; i < 3; i++) {
        size_t hidden;
        struct arena *own = arena_child(&arena);
        clock_t start = clock();
        secret_mask(text, own, &hidden);
        clock_t taken = clock() - start;
        least = !i || taken < least ? taken : least;
        arena_release(own);
    }
    arena_release(&arena);
    return least;
}

/* Whatever is repeated: what was read for one name is not read again for the next. */
static void time_is_linear(void **state)
{
    (void)state;
    static const char *const units[] = {
        "Bearer ", "\"=>--token", "pwd=/'",          "--user='",          "--token=\"",
        "a:",      "://",         "password: ",      "\\\"token\\\":",    "-----BEGIN ",
        "'token:", "@",           "--password -a\"", "\"--token\",\"-aB", "<token>",
        "['key']"};
    enum { SIZE = 1 << 14, TIMES = 16, NOISE = 4000 };
    for (size_t i = 0; i < ARRAY_LEN(units); i++) /* square, it would be 256 times */
        assert_true(ticks(units[i], (size_t)SIZE * TIMES) <
                    4 * TIMES * (ticks(units[i], SIZE) + NOISE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_are_hidden),
        cmocka_unit_test(other_words_stay),
        cmocka_unit_test(time_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
