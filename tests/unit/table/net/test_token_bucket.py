"""Token buckets: each bound is reached, and exceeded by one."""

from table.net.token_bucket import TokenBucket, TokenBuckets


def test_bucket_refuses_after_the_burst():
    bucket = TokenBucket((5, 2))
    assert [bucket.take(100.0) for _ in range(6)] == [True] * 5 + [False]
    assert bucket.wait(100.0) == 0.5
    assert not bucket.take(100.49)
    assert bucket.take(100.5)
    assert not bucket.take(100.5)


def test_bucket_refills_only_to_its_burst():
    bucket = TokenBucket((5, 2))
    for _ in range(5):
        bucket.take(0.0)
    assert [bucket.take(1000.0) for _ in range(6)] == [True] * 5 + [False]


def test_bucket_long_run_matches_the_rate():
    bucket = TokenBucket((10, 3))
    # 100 seconds, less the last hundredth
    taken = sum(bucket.take(50.0 + step / 100) for step in range(10_000))
    assert taken == 10 + 299


def test_bucket_overspending_delays_the_next():
    bucket = TokenBucket((4, 2))
    bucket.spend(0.0, 10)
    assert bucket.wait(0.0) == 3.5
    assert bucket.wait(3.5) == 0.0


def test_bucket_keys_are_independent():
    buckets = TokenBuckets((2, 1), 10)
    assert [buckets.take("a", 0.0) for _ in range(3)] == [True, True, False]
    assert buckets.take("b", 0.0)


def test_full_buckets_are_forgotten():
    buckets = TokenBuckets((2, 1), 1000)
    for number in range(100):
        buckets.take(number, 0.0)
    assert len(buckets) == 100
    for _ in range(60):
        buckets.take("a", 2.0)
    assert len(buckets) == 1


def test_bucket_count_is_bounded_oldest_first():
    buckets = TokenBuckets((1, 0.001), 10)
    for number in range(11):
        assert buckets.take(number, float(number))
        assert len(buckets) <= 10
    assert not buckets.take(1, 11.0)  # still remembered
    assert buckets.take(0, 11.0)  # forgotten as the oldest
